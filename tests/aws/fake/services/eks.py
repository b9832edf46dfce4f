"""EKS: clusters as DescribeCluster shows them."""

from tests.aws.fake.errors import Fault
from tests.aws.fake.handlers import action


@action("eks", "DescribeCluster")
def describe_cluster(context, name):
    if name not in context.region.clusters:
        raise Fault("ResourceNotFoundException", f"No cluster found for name: {name}.", 404)
    return {"cluster": context.region.clusters[name]}


def make(region, name, version, created, endpoint="https://127.0.0.1:6443", ca="LS0tLS1CRUdJTg==",
         cidr="172.20.0.0/16", cidr6=None):
    """A cluster as botocore's output shape names its members."""
    network = {"serviceIpv6Cidr": cidr6, "ipFamily": "ipv6"} if cidr6 else {"serviceIpv4Cidr": cidr, "ipFamily": "ipv4"}
    return {"name": name, "arn": region.arn("eks", f"cluster/{name}"), "version": version, "createdAt": created,
            "endpoint": endpoint, "certificateAuthority": {"data": ca}, "status": "ACTIVE", "platformVersion": "eks.1",
            "roleArn": f"arn:aws:iam::{region.account}:role/cluster-{name}", "kubernetesNetworkConfig": network,
            "resourcesVpcConfig": {"subnetIds": sorted(region.subnets), "vpcId": next(iter(region.subnets.values())).vpc},
            "tags": {}}
