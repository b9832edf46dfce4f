// EC2: subnets and security groups. Reference aws.md 3.3, 6.1, 6.2.
#pragma once

#include "aws/protocol/operation.h"
#include "aws/service/ec2.h"

#define EC2_SUBNET(X, T)                                                                                               \
    X(T, STRING, subnet_id, "subnetId")                                                                                \
    X(T, STRING, availability_zone, "availabilityZone")                                                                \
    X(T, STRING, availability_zone_id, "availabilityZoneId")                                                           \
    X(T, INTEGER, available_ip_address_count, "availableIpAddressCount")                                               \
    X(T, LIST, tags, "tagSet", Ec2Tag)
AWS_STRUCT(Ec2Subnet, EC2_SUBNET);

#define EC2_DESCRIBE_SUBNETS_INPUT(X, T)                                                                               \
    X(T, STRINGS, subnet_ids, "SubnetId")                                                                              \
    X(T, LIST, filters, "Filter", Ec2Filter)                                                                           \
    X(T, INTEGER, max_results, "MaxResults")                                                                           \
    X(T, STRING, next_token, "NextToken")
AWS_STRUCT(Ec2DescribeSubnetsInput, EC2_DESCRIBE_SUBNETS_INPUT);

#define EC2_DESCRIBE_SUBNETS_OUTPUT(X, T)                                                                              \
    X(T, LIST, subnets, "subnetSet", Ec2Subnet)                                                                        \
    X(T, STRING, next_token, "nextToken")
AWS_STRUCT(Ec2DescribeSubnetsOutput, EC2_DESCRIBE_SUBNETS_OUTPUT);

#define EC2_IP_PERMISSION(X, T)                                                                                        \
    X(T, STRING, ip_protocol, "ipProtocol")                                                                            \
    X(T, INTEGER, from_port, "fromPort")                                                                               \
    X(T, INTEGER, to_port, "toPort")
AWS_STRUCT(Ec2IpPermission, EC2_IP_PERMISSION);

#define EC2_SECURITY_GROUP(X, T)                                                                                       \
    X(T, STRING, group_id, "groupId")                                                                                  \
    X(T, STRING, group_name, "groupName")                                                                              \
    X(T, LIST, ip_permissions, "ipPermissions", Ec2IpPermission)                                                       \
    X(T, LIST, tags, "tagSet", Ec2Tag)
AWS_STRUCT(Ec2SecurityGroup, EC2_SECURITY_GROUP);

#define EC2_DESCRIBE_SECURITY_GROUPS_INPUT(X, T)                                                                       \
    X(T, STRINGS, group_ids, "GroupId")                                                                                \
    X(T, STRINGS, group_names, "GroupName")                                                                            \
    X(T, LIST, filters, "Filter", Ec2Filter)                                                                           \
    X(T, INTEGER, max_results, "MaxResults")                                                                           \
    X(T, STRING, next_token, "NextToken")
AWS_STRUCT(Ec2DescribeSecurityGroupsInput, EC2_DESCRIBE_SECURITY_GROUPS_INPUT);

#define EC2_DESCRIBE_SECURITY_GROUPS_OUTPUT(X, T)                                                                      \
    X(T, LIST, security_groups, "securityGroupInfo", Ec2SecurityGroup)                                                 \
    X(T, STRING, next_token, "nextToken")
AWS_STRUCT(Ec2DescribeSecurityGroupsOutput, EC2_DESCRIBE_SECURITY_GROUPS_OUTPUT);

// Pages of 5 to 1000.
extern const AwsOperation ec2_describe_subnets;
// Pages of 5 to 1000.
extern const AwsOperation ec2_describe_security_groups;
