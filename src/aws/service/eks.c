// EKS: the cluster. Reference aws.md 8.
#include "aws/service/eks.h"

const AwsService eks_service = {
    .id = "eks",
    .endpoint_prefix = "eks",
    .signing_name = "eks",
    .api_version = "2017-11-01",
    .protocol = AWS_REST_JSON,
};

AWS_SHAPE(EksNetworkConfig, EKS_NETWORK_CONFIG);
AWS_SHAPE(EksCluster, EKS_CLUSTER);
AWS_SHAPE(EksDescribeClusterInput, EKS_DESCRIBE_CLUSTER_INPUT);
AWS_SHAPE(EksDescribeClusterOutput, EKS_DESCRIBE_CLUSTER_OUTPUT);

AWS_OPERATION(eks_describe_cluster, eks_service, "DescribeCluster", EksDescribeCluster, .method = "GET",
              .path = "/clusters/{name}");
