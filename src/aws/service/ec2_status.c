// EC2: the health of instances. Reference aws.md 7.8.
#include "aws/service/ec2_status.h"

AWS_SHAPE(Ec2StatusDetail, EC2_STATUS_DETAIL);
AWS_SHAPE(Ec2StatusSummary, EC2_STATUS_SUMMARY);
AWS_SHAPE(Ec2StatusEvent, EC2_STATUS_EVENT);
AWS_SHAPE(Ec2InstanceStatus, EC2_INSTANCE_STATUS);
AWS_SHAPE(Ec2DescribeInstanceStatusInput, EC2_DESCRIBE_INSTANCE_STATUS_INPUT);
AWS_SHAPE(Ec2DescribeInstanceStatusOutput, EC2_DESCRIBE_INSTANCE_STATUS_OUTPUT);

AWS_OPERATION(ec2_describe_instance_status, ec2_service, "DescribeInstanceStatus", Ec2DescribeInstanceStatus,
              AWS_PAGED(Ec2DescribeInstanceStatus, next_token, next_token));
