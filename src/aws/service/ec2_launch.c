// EC2: launches: fleets, and RunInstances as a test of rights. Reference aws.md 3.4, 7.1.
#include "aws/service/ec2_launch.h"

AWS_SHAPE(Ec2FleetOverride, EC2_FLEET_OVERRIDE);
AWS_SHAPE(Ec2FleetTemplateConfig, EC2_FLEET_TEMPLATE_CONFIG);
AWS_SHAPE(Ec2TargetCapacity, EC2_TARGET_CAPACITY);
AWS_SHAPE(Ec2AllocationOptions, EC2_ALLOCATION_OPTIONS);
AWS_SHAPE(Ec2ReservedCapacityOptions, EC2_RESERVED_CAPACITY_OPTIONS);
AWS_SHAPE(Ec2CreateFleetInput, EC2_CREATE_FLEET_INPUT);
AWS_SHAPE(Ec2LaunchedOverride, EC2_LAUNCHED_OVERRIDE);
AWS_SHAPE(Ec2LaunchTemplateAndOverrides, EC2_LAUNCH_TEMPLATE_AND_OVERRIDES);
AWS_SHAPE(Ec2FleetError, EC2_FLEET_ERROR);
AWS_SHAPE(Ec2FleetInstances, EC2_FLEET_INSTANCES);
AWS_SHAPE(Ec2CreateFleetOutput, EC2_CREATE_FLEET_OUTPUT);
AWS_SHAPE(Ec2RunInstancesInput, EC2_RUN_INSTANCES_INPUT);

AWS_OPERATION(ec2_create_fleet, ec2_service, "CreateFleet", Ec2CreateFleet, .is_change = true);
AWS_OPERATION_MUTE(ec2_run_instances, ec2_service, "RunInstances", Ec2RunInstances);
