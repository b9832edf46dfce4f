// EC2: launch templates. Reference aws.md 3.5.
#include "aws/service/ec2_launch_template.h"

AWS_SHAPE(Ec2EbsBlockDevice, EC2_EBS_BLOCK_DEVICE);
AWS_SHAPE(Ec2BlockDeviceMapping, EC2_BLOCK_DEVICE_MAPPING);
AWS_SHAPE(Ec2ConnectionTracking, EC2_CONNECTION_TRACKING);
AWS_SHAPE(Ec2NetworkInterfaceSpecification, EC2_NETWORK_INTERFACE_SPECIFICATION);
AWS_SHAPE(Ec2IamInstanceProfile, EC2_IAM_INSTANCE_PROFILE);
AWS_SHAPE(Ec2Enabled, EC2_ENABLED);
AWS_SHAPE(Ec2MetadataOptions, EC2_METADATA_OPTIONS);
AWS_SHAPE(Ec2LaunchPlacement, EC2_LAUNCH_PLACEMENT);
AWS_SHAPE(Ec2CpuOptions, EC2_CPU_OPTIONS);
AWS_SHAPE(Ec2CapacityReservationTarget, EC2_CAPACITY_RESERVATION_TARGET);
AWS_SHAPE(Ec2CapacityReservationSpecification, EC2_CAPACITY_RESERVATION_SPECIFICATION);
AWS_SHAPE(Ec2InstanceMarketOptions, EC2_INSTANCE_MARKET_OPTIONS);
AWS_SHAPE(Ec2LaunchTemplateData, EC2_LAUNCH_TEMPLATE_DATA);
AWS_SHAPE(Ec2LaunchTemplate, EC2_LAUNCH_TEMPLATE);
AWS_SHAPE(Ec2CreateLaunchTemplateInput, EC2_CREATE_LAUNCH_TEMPLATE_INPUT);
AWS_SHAPE(Ec2CreateLaunchTemplateOutput, EC2_CREATE_LAUNCH_TEMPLATE_OUTPUT);
AWS_SHAPE(Ec2DescribeLaunchTemplatesInput, EC2_DESCRIBE_LAUNCH_TEMPLATES_INPUT);
AWS_SHAPE(Ec2DescribeLaunchTemplatesOutput, EC2_DESCRIBE_LAUNCH_TEMPLATES_OUTPUT);
AWS_SHAPE(Ec2DeleteLaunchTemplateInput, EC2_DELETE_LAUNCH_TEMPLATE_INPUT);
AWS_SHAPE(Ec2DeleteLaunchTemplateOutput, EC2_DELETE_LAUNCH_TEMPLATE_OUTPUT);

AWS_OPERATION(ec2_create_launch_template, ec2_service, "CreateLaunchTemplate", Ec2CreateLaunchTemplate,
              .is_change = true);
AWS_OPERATION(ec2_describe_launch_templates, ec2_service, "DescribeLaunchTemplates", Ec2DescribeLaunchTemplates,
              AWS_PAGED(Ec2DescribeLaunchTemplates, next_token, next_token));
AWS_OPERATION(ec2_delete_launch_template, ec2_service, "DeleteLaunchTemplate", Ec2DeleteLaunchTemplate,
              .is_change = true);
