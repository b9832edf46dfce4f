// EC2: instances, described, tagged, rebooted and terminated. Reference aws.md 3.7, 3.8.
#pragma once

#include "aws/protocol/operation.h"
#include "aws/service/ec2.h"

#define EC2_INSTANCE_STATE(X, T) X(T, STRING, name, "name")
AWS_STRUCT(Ec2InstanceState, EC2_INSTANCE_STATE);

// Why an instance changed its state: "Client.InternalError".
#define EC2_STATE_REASON(X, T)                                                                                         \
    X(T, STRING, code, "code")                                                                                         \
    X(T, STRING, message, "message")
AWS_STRUCT(Ec2StateReason, EC2_STATE_REASON);

#define EC2_INSTANCE_PLACEMENT(X, T)                                                                                   \
    X(T, STRING, availability_zone, "availabilityZone")                                                                \
    X(T, STRING, availability_zone_id, "availabilityZoneId")                                                           \
    X(T, STRING, tenancy, "tenancy")                                                                                   \
    X(T, STRING, group_id, "groupId")                                                                                  \
    X(T, INTEGER, partition_number, "partitionNumber")
AWS_STRUCT(Ec2InstancePlacement, EC2_INSTANCE_PLACEMENT);

#define EC2_GROUP_IDENTIFIER(X, T) X(T, STRING, group_id, "groupId")
AWS_STRUCT(Ec2GroupIdentifier, EC2_GROUP_IDENTIFIER);

#define EC2_INSTANCE_NETWORK_INTERFACE(X, T) X(T, STRING, interface_type, "interfaceType")
AWS_STRUCT(Ec2InstanceNetworkInterface, EC2_INSTANCE_NETWORK_INTERFACE);

#define EC2_INSTANCE_RESERVATION_SPECIFICATION(X, T)                                                                   \
    X(T, STRING, capacity_reservation_preference, "capacityReservationPreference")
AWS_STRUCT(Ec2InstanceReservationSpecification, EC2_INSTANCE_RESERVATION_SPECIFICATION);

#define EC2_INSTANCE(X, T)                                                                                             \
    X(T, STRING, instance_id, "instanceId")                                                                            \
    X(T, STRING, image_id, "imageId")                                                                                  \
    X(T, STRING, instance_type, "instanceType")                                                                        \
    X(T, TIME, launch_time, "launchTime")                                                                              \
    X(T, STRING, subnet_id, "subnetId")                                                                                \
    X(T, STRUCTURE, state, "instanceState", Ec2InstanceState)                                                          \
    X(T, STRUCTURE, state_reason, "stateReason", Ec2StateReason)                                                       \
    X(T, STRUCTURE, placement, "placement", Ec2InstancePlacement)                                                      \
    X(T, STRING, spot_instance_request_id, "spotInstanceRequestId")                                                    \
    X(T, STRING, instance_lifecycle, "instanceLifecycle")                                                              \
    X(T, STRING, capacity_reservation_id, "capacityReservationId")                                                     \
    X(T, STRUCTURE, capacity_reservation_specification, "capacityReservationSpecification",                            \
      Ec2InstanceReservationSpecification)                                                                             \
    X(T, LIST, security_groups, "groupSet", Ec2GroupIdentifier)                                                        \
    X(T, LIST, tags, "tagSet", Ec2Tag)                                                                                 \
    X(T, LIST, network_interfaces, "networkInterfaceSet", Ec2InstanceNetworkInterface)
AWS_STRUCT(Ec2Instance, EC2_INSTANCE);

// The instances of one launch; no reservation of capacity.
#define EC2_RESERVATION(X, T) X(T, LIST, instances, "instancesSet", Ec2Instance)
AWS_STRUCT(Ec2Reservation, EC2_RESERVATION);

#define EC2_DESCRIBE_INSTANCES_INPUT(X, T)                                                                             \
    X(T, STRINGS, instance_ids, "InstanceId")                                                                          \
    X(T, LIST, filters, "Filter", Ec2Filter)                                                                           \
    X(T, INTEGER, max_results, "MaxResults")                                                                           \
    X(T, STRING, next_token, "NextToken")
AWS_STRUCT(Ec2DescribeInstancesInput, EC2_DESCRIBE_INSTANCES_INPUT);

#define EC2_DESCRIBE_INSTANCES_OUTPUT(X, T)                                                                            \
    X(T, LIST, reservations, "reservationSet", Ec2Reservation)                                                         \
    X(T, STRING, next_token, "nextToken")
AWS_STRUCT(Ec2DescribeInstancesOutput, EC2_DESCRIBE_INSTANCES_OUTPUT);

#define EC2_INSTANCE_STATE_CHANGE(X, T)                                                                                \
    X(T, STRING, instance_id, "instanceId")                                                                            \
    X(T, STRUCTURE, current_state, "currentState", Ec2InstanceState)
AWS_STRUCT(Ec2InstanceStateChange, EC2_INSTANCE_STATE_CHANGE);

#define EC2_TERMINATE_INSTANCES_INPUT(X, T) X(T, STRINGS, instance_ids, "InstanceId")
AWS_STRUCT(Ec2TerminateInstancesInput, EC2_TERMINATE_INSTANCES_INPUT);

#define EC2_TERMINATE_INSTANCES_OUTPUT(X, T) X(T, LIST, terminating_instances, "instancesSet", Ec2InstanceStateChange)
AWS_STRUCT(Ec2TerminateInstancesOutput, EC2_TERMINATE_INSTANCES_OUTPUT);

#define EC2_REBOOT_INSTANCES_INPUT(X, T) X(T, STRINGS, instance_ids, "InstanceId")
AWS_STRUCT(Ec2RebootInstancesInput, EC2_REBOOT_INSTANCES_INPUT);

#define EC2_CREATE_TAGS_INPUT(X, T)                                                                                    \
    X(T, STRINGS, resources, "ResourceId")                                                                             \
    X(T, LIST, tags, "Tag", Ec2Tag)
AWS_STRUCT(Ec2CreateTagsInput, EC2_CREATE_TAGS_INPUT);

// Pages of at most 1000; max_results and instance_ids exclude each other. An id that is unknown fails all.
extern const AwsOperation ec2_describe_instances;
// Answers each instance with its new state.
extern const AwsOperation ec2_terminate_instances;
// Answers when the reboot is asked for, not when it is done.
extern const AwsOperation ec2_reboot_instances;
// Replaces values of keys that are there.
extern const AwsOperation ec2_create_tags;
