// EC2: instances, described, tagged, rebooted and terminated. Reference aws.md 3.7, 3.8.
#include "aws/service/ec2_instance.h"

AWS_SHAPE(Ec2InstanceState, EC2_INSTANCE_STATE);
AWS_SHAPE(Ec2StateReason, EC2_STATE_REASON);
AWS_SHAPE(Ec2InstancePlacement, EC2_INSTANCE_PLACEMENT);
AWS_SHAPE(Ec2GroupIdentifier, EC2_GROUP_IDENTIFIER);
AWS_SHAPE(Ec2InstanceNetworkInterface, EC2_INSTANCE_NETWORK_INTERFACE);
AWS_SHAPE(Ec2InstanceReservationSpecification, EC2_INSTANCE_RESERVATION_SPECIFICATION);
AWS_SHAPE(Ec2Instance, EC2_INSTANCE);
AWS_SHAPE(Ec2Reservation, EC2_RESERVATION);
AWS_SHAPE(Ec2DescribeInstancesInput, EC2_DESCRIBE_INSTANCES_INPUT);
AWS_SHAPE(Ec2DescribeInstancesOutput, EC2_DESCRIBE_INSTANCES_OUTPUT);
AWS_SHAPE(Ec2InstanceStateChange, EC2_INSTANCE_STATE_CHANGE);
AWS_SHAPE(Ec2TerminateInstancesInput, EC2_TERMINATE_INSTANCES_INPUT);
AWS_SHAPE(Ec2TerminateInstancesOutput, EC2_TERMINATE_INSTANCES_OUTPUT);
AWS_SHAPE(Ec2RebootInstancesInput, EC2_REBOOT_INSTANCES_INPUT);
AWS_SHAPE(Ec2CreateTagsInput, EC2_CREATE_TAGS_INPUT);

AWS_OPERATION(ec2_describe_instances, ec2_service, "DescribeInstances", Ec2DescribeInstances,
              AWS_PAGED(Ec2DescribeInstances, next_token, next_token));
AWS_OPERATION(ec2_terminate_instances, ec2_service, "TerminateInstances", Ec2TerminateInstances, .is_change = true);
AWS_OPERATION_MUTE(ec2_reboot_instances, ec2_service, "RebootInstances", Ec2RebootInstances);
AWS_OPERATION_MUTE(ec2_create_tags, ec2_service, "CreateTags", Ec2CreateTags);
