"""Subnets with the addresses that are free in them, and security groups."""

import ipaddress
from dataclasses import dataclass, field

from tests.aws.fake.errors import Fault
from tests.aws.fake.handlers import action
from tests.aws.fake.services.ec2.filters import select
from tests.aws.fake.services.ec2.pages import page
from tests.aws.fake.services.ec2.tags import to_list

RESERVED_ADDRESSES = 5      # of each subnet, by AWS
PREFIX_ADDRESSES = 16       # a /28


@dataclass
class Subnet:
    id: str
    vpc: str
    zone: str
    zone_id: str
    cidr: str
    arn: str
    tags: dict = field(default_factory=dict)
    public: bool = False
    used: int = 0
    _next: int = 4

    @property
    def size(self):
        return ipaddress.ip_network(self.cidr).num_addresses - RESERVED_ADDRESSES

    @property
    def free(self):
        return self.size - self.used

    def new_address(self):
        """An address of the subnet; they start again at its end, for nobody here talks to them."""
        network = ipaddress.ip_network(self.cidr)
        self._next = self._next + 1 if self._next + 2 < network.num_addresses else 4
        return str(network[self._next])


@dataclass
class Group:
    id: str
    name: str
    vpc: str
    arn: str
    tags: dict = field(default_factory=dict)


def describe_subnet(context, subnet):
    return {"SubnetId": subnet.id, "VpcId": subnet.vpc, "AvailabilityZone": subnet.zone, "State": "available",
            "AvailabilityZoneId": subnet.zone_id, "CidrBlock": subnet.cidr, "AvailableIpAddressCount": subnet.free,
            "OwnerId": context.account, "SubnetArn": subnet.arn, "Tags": to_list(subnet.tags), "DefaultForAz": False,
            "MapPublicIpOnLaunch": subnet.public, "AssignIpv6AddressOnCreation": False, "Ipv6Native": False,
            "Ipv6CidrBlockAssociationSet": [], "EnableDns64": False, "MapCustomerOwnedIpOnLaunch": False,
            "PrivateDnsNameOptionsOnLaunch": {"HostnameType": "ip-name", "EnableResourceNameDnsARecord": False,
                                              "EnableResourceNameDnsAAAARecord": False}}


SUBNET_FILTERS = {
    "subnet-id": lambda s: s.id, "vpc-id": lambda s: s.vpc, "state": lambda s: "available",
    "availability-zone": lambda s: s.zone, "availabilityZone": lambda s: s.zone,
    "availability-zone-id": lambda s: s.zone_id, "availabilityZoneId": lambda s: s.zone_id,
    "cidr-block": lambda s: s.cidr, "cidr": lambda s: s.cidr, "cidrBlock": lambda s: s.cidr,
    "available-ip-address-count": lambda s: s.free, "subnet-arn": lambda s: s.arn,
    "map-public-ip-on-launch": lambda s: s.public, "default-for-az": lambda s: False,
}


@action("ec2", "DescribeSubnets")
def describe_subnets(context, SubnetIds=(), Filters=(), MaxResults=None, NextToken=None, DryRun=False):
    context.dry_run()
    subnets = [find_subnet(context.region, name) for name in SubnetIds] or context.region.subnets.values()
    found = select(context, subnets, Filters, SUBNET_FILTERS, lambda s: s.tags)
    shown, token = page(context, found, lambda s: s.id)
    return {"Subnets": [describe_subnet(context, subnet) for subnet in shown], "NextToken": token}


def find_subnet(region, subnet_id):
    if subnet_id not in region.subnets:
        raise Fault("InvalidSubnetID.NotFound", f"The subnet ID '{subnet_id}' does not exist")
    return region.subnets[subnet_id]


GROUP_FILTERS = {"group-id": lambda g: g.id, "group-name": lambda g: g.name, "vpc-id": lambda g: g.vpc,
                 "description": lambda g: g.name}


@action("ec2", "DescribeSecurityGroups")
def describe_security_groups(context, GroupIds=(), GroupNames=(), Filters=(), MaxResults=None, NextToken=None,
                             DryRun=False):
    context.dry_run()
    groups = [find_group(context.region, name) for name in GroupIds] or context.region.groups.values()
    if GroupNames:
        groups = [group for group in groups if group.name in GroupNames]
        for name in set(GroupNames) - {group.name for group in groups}:
            raise Fault("InvalidGroup.NotFound", f"The security group '{name}' does not exist")
    found = select(context, groups, Filters, GROUP_FILTERS, lambda g: g.tags)
    shown, token = page(context, found, lambda g: g.id)
    return {"SecurityGroups": [
        {"GroupId": group.id, "GroupName": group.name, "Description": group.name, "VpcId": group.vpc,
         "OwnerId": context.account, "SecurityGroupArn": group.arn, "Tags": to_list(group.tags),
         "IpPermissions": [], "IpPermissionsEgress": []} for group in shown], "NextToken": token}


def find_group(region, group_id):
    if group_id not in region.groups:
        raise Fault("InvalidGroup.NotFound", f"The security group '{group_id}' does not exist")
    return region.groups[group_id]
