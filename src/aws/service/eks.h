// EKS: the cluster. Reference aws.md 8.
#pragma once

#include "aws/protocol/operation.h"

extern const AwsService eks_service;

#define EKS_NETWORK_CONFIG(X, T)                                                                                       \
    X(T, STRING, service_ipv4_cidr, "serviceIpv4Cidr")                                                                 \
    X(T, STRING, service_ipv6_cidr, "serviceIpv6Cidr")
AWS_STRUCT(EksNetworkConfig, EKS_NETWORK_CONFIG);

#define EKS_CLUSTER(X, T)                                                                                              \
    X(T, STRING, endpoint, "endpoint")                                                                                 \
    X(T, STRING, version, "version")                                                                                   \
    X(T, STRING, arn, "arn")                                                                                           \
    X(T, STRUCTURE, network_config, "kubernetesNetworkConfig", EksNetworkConfig)
AWS_STRUCT(EksCluster, EKS_CLUSTER);

#define EKS_DESCRIBE_CLUSTER_INPUT(X, T) X(T, STRING, name, "name")
AWS_STRUCT(EksDescribeClusterInput, EKS_DESCRIBE_CLUSTER_INPUT);

#define EKS_DESCRIBE_CLUSTER_OUTPUT(X, T) X(T, STRUCTURE, cluster, "cluster", EksCluster)
AWS_STRUCT(EksDescribeClusterOutput, EKS_DESCRIBE_CLUSTER_OUTPUT);

extern const AwsOperation eks_describe_cluster;
