// EC2: subnets and security groups. Reference aws.md 3.3, 6.1, 6.2.
#include "aws/service/ec2_network.h"

AWS_SHAPE(Ec2Subnet, EC2_SUBNET);
AWS_SHAPE(Ec2DescribeSubnetsInput, EC2_DESCRIBE_SUBNETS_INPUT);
AWS_SHAPE(Ec2DescribeSubnetsOutput, EC2_DESCRIBE_SUBNETS_OUTPUT);
AWS_SHAPE(Ec2IpPermission, EC2_IP_PERMISSION);
AWS_SHAPE(Ec2SecurityGroup, EC2_SECURITY_GROUP);
AWS_SHAPE(Ec2DescribeSecurityGroupsInput, EC2_DESCRIBE_SECURITY_GROUPS_INPUT);
AWS_SHAPE(Ec2DescribeSecurityGroupsOutput, EC2_DESCRIBE_SECURITY_GROUPS_OUTPUT);

AWS_OPERATION(ec2_describe_subnets, ec2_service, "DescribeSubnets", Ec2DescribeSubnets,
              AWS_PAGED(Ec2DescribeSubnets, next_token, next_token));
AWS_OPERATION(ec2_describe_security_groups, ec2_service, "DescribeSecurityGroups", Ec2DescribeSecurityGroups,
              AWS_PAGED(Ec2DescribeSecurityGroups, next_token, next_token));
