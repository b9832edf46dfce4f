// EC2: launches: fleets, and RunInstances as a test of rights. Reference aws.md 3.4, 7.1.
#pragma once

#include "aws/protocol/operation.h"
#include "aws/service/ec2_launch_template.h"

// priority: counts for the prioritized strategies only, lower first.
#define EC2_FLEET_OVERRIDE(X, T)                                                                                       \
    X(T, STRING, instance_type, "InstanceType")                                                                        \
    X(T, STRING, subnet_id, "SubnetId")                                                                                \
    X(T, STRING, image_id, "ImageId")                                                                                  \
    X(T, STRING, availability_zone, "AvailabilityZone")                                                                \
    X(T, REAL, priority, "Priority")
AWS_STRUCT(Ec2FleetOverride, EC2_FLEET_OVERRIDE);

#define EC2_FLEET_TEMPLATE_CONFIG(X, T)                                                                                \
    X(T, STRUCTURE, launch_template_specification, "LaunchTemplateSpecification", Ec2LaunchTemplateSpecification)      \
    X(T, LIST, overrides, "Overrides", Ec2FleetOverride)
AWS_STRUCT(Ec2FleetTemplateConfig, EC2_FLEET_TEMPLATE_CONFIG);

#define EC2_TARGET_CAPACITY(X, T)                                                                                      \
    X(T, INTEGER, total_target_capacity, "TotalTargetCapacity")                                                        \
    X(T, STRING, default_target_capacity_type, "DefaultTargetCapacityType")
AWS_STRUCT(Ec2TargetCapacity, EC2_TARGET_CAPACITY);

#define EC2_ALLOCATION_OPTIONS(X, T) X(T, STRING, allocation_strategy, "AllocationStrategy")
AWS_STRUCT(Ec2AllocationOptions, EC2_ALLOCATION_OPTIONS);

#define EC2_RESERVED_CAPACITY_OPTIONS(X, T) X(T, STRINGS, reservation_types, "ReservationType")
AWS_STRUCT(Ec2ReservedCapacityOptions, EC2_RESERVED_CAPACITY_OPTIONS);

#define EC2_CREATE_FLEET_INPUT(X, T)                                                                                   \
    X(T, BOOL, dry_run, "DryRun")                                                                                      \
    X(T, STRING, client_token, "ClientToken")                                                                          \
    X(T, STRING, type, "Type")                                                                                         \
    X(T, STRING, context, "Context")                                                                                   \
    X(T, LIST, launch_template_configs, "LaunchTemplateConfigs", Ec2FleetTemplateConfig)                               \
    X(T, STRUCTURE, target_capacity, "TargetCapacitySpecification", Ec2TargetCapacity)                                 \
    X(T, STRUCTURE, spot_options, "SpotOptions", Ec2AllocationOptions)                                                 \
    X(T, STRUCTURE, on_demand_options, "OnDemandOptions", Ec2AllocationOptions)                                        \
    X(T, STRUCTURE, reserved_capacity_options, "ReservedCapacityOptions", Ec2ReservedCapacityOptions)                  \
    X(T, LIST, tag_specifications, "TagSpecification", Ec2TagSpecification)
AWS_STRUCT(Ec2CreateFleetInput, EC2_CREATE_FLEET_INPUT);

// What EC2 took, or failed with, of the overrides.
#define EC2_LAUNCHED_OVERRIDE(X, T)                                                                                    \
    X(T, STRING, instance_type, "instanceType")                                                                        \
    X(T, STRING, subnet_id, "subnetId")                                                                                \
    X(T, STRING, availability_zone, "availabilityZone")                                                                \
    X(T, STRING, image_id, "imageId")
AWS_STRUCT(Ec2LaunchedOverride, EC2_LAUNCHED_OVERRIDE);

#define EC2_LAUNCH_TEMPLATE_AND_OVERRIDES(X, T)                                                                        \
    X(T, STRUCTURE, launch_template_specification, "launchTemplateSpecification", Ec2LaunchTemplateSpecification)      \
    X(T, STRUCTURE, overrides, "overrides", Ec2LaunchedOverride)
AWS_STRUCT(Ec2LaunchTemplateAndOverrides, EC2_LAUNCH_TEMPLATE_AND_OVERRIDES);

#define EC2_FLEET_ERROR(X, T)                                                                                          \
    X(T, STRING, error_code, "errorCode")                                                                              \
    X(T, STRING, error_message, "errorMessage")                                                                        \
    X(T, STRING, lifecycle, "lifecycle")                                                                               \
    X(T, STRUCTURE, launch_template_and_overrides, "launchTemplateAndOverrides", Ec2LaunchTemplateAndOverrides)
AWS_STRUCT(Ec2FleetError, EC2_FLEET_ERROR);

#define EC2_FLEET_INSTANCES(X, T)                                                                                      \
    X(T, STRINGS, instance_ids, "instanceIds")                                                                         \
    X(T, STRING, instance_type, "instanceType")                                                                        \
    X(T, STRING, lifecycle, "lifecycle")                                                                               \
    X(T, STRUCTURE, launch_template_and_overrides, "launchTemplateAndOverrides", Ec2LaunchTemplateAndOverrides)
AWS_STRUCT(Ec2FleetInstances, EC2_FLEET_INSTANCES);

#define EC2_CREATE_FLEET_OUTPUT(X, T)                                                                                  \
    X(T, STRING, fleet_id, "fleetId")                                                                                  \
    X(T, LIST, errors, "errorSet", Ec2FleetError)                                                                      \
    X(T, LIST, instances, "fleetInstanceSet", Ec2FleetInstances)
AWS_STRUCT(Ec2CreateFleetOutput, EC2_CREATE_FLEET_OUTPUT);

#define EC2_RUN_INSTANCES_INPUT(X, T)                                                                                  \
    X(T, BOOL, dry_run, "DryRun")                                                                                      \
    X(T, STRING, client_token, "ClientToken")                                                                          \
    X(T, INTEGER, min_count, "MinCount")                                                                               \
    X(T, INTEGER, max_count, "MaxCount")                                                                               \
    X(T, STRUCTURE, launch_template, "LaunchTemplate", Ec2LaunchTemplateSpecification)                                 \
    X(T, STRING, instance_type, "InstanceType")                                                                        \
    X(T, LIST, network_interfaces, "NetworkInterface", Ec2NetworkInterfaceSpecification)                               \
    X(T, LIST, tag_specifications, "TagSpecification", Ec2TagSpecification)
AWS_STRUCT(Ec2RunInstancesInput, EC2_RUN_INSTANCES_INPUT);

// With type "instant" the answer has the instances, and for what could not be launched errors, both at once.
extern const AwsOperation ec2_create_fleet;
// Only as a dry run, which answers a fault whatever comes of it: DryRunOperation where it is allowed.
extern const AwsOperation ec2_run_instances;
