// EC2: capacity reservations and placement groups. Reference aws.md 3.6.
#pragma once

#include "aws/protocol/operation.h"
#include "aws/service/ec2.h"

// end_date: absent where the reservation has no end.
#define EC2_CAPACITY_RESERVATION(X, T)                                                                                 \
    X(T, STRING, capacity_reservation_id, "capacityReservationId")                                                     \
    X(T, STRING, owner_id, "ownerId")                                                                                  \
    X(T, STRING, instance_type, "instanceType")                                                                        \
    X(T, STRING, availability_zone, "availabilityZone")                                                                \
    X(T, INTEGER, available_instance_count, "availableInstanceCount")                                                  \
    X(T, STRING, state, "state")                                                                                       \
    X(T, TIME, end_date, "endDate")                                                                                    \
    X(T, STRING, instance_match_criteria, "instanceMatchCriteria")                                                     \
    X(T, STRING, reservation_type, "reservationType")                                                                  \
    X(T, BOOL, interruptible, "interruptible")
AWS_STRUCT(Ec2CapacityReservation, EC2_CAPACITY_RESERVATION);

#define EC2_DESCRIBE_CAPACITY_RESERVATIONS_INPUT(X, T)                                                                 \
    X(T, STRINGS, capacity_reservation_ids, "CapacityReservationId")                                                   \
    X(T, LIST, filters, "Filter", Ec2Filter)                                                                           \
    X(T, INTEGER, max_results, "MaxResults")                                                                           \
    X(T, STRING, next_token, "NextToken")
AWS_STRUCT(Ec2DescribeCapacityReservationsInput, EC2_DESCRIBE_CAPACITY_RESERVATIONS_INPUT);

#define EC2_DESCRIBE_CAPACITY_RESERVATIONS_OUTPUT(X, T)                                                                \
    X(T, LIST, capacity_reservations, "capacityReservationSet", Ec2CapacityReservation)                                \
    X(T, STRING, next_token, "nextToken")
AWS_STRUCT(Ec2DescribeCapacityReservationsOutput, EC2_DESCRIBE_CAPACITY_RESERVATIONS_OUTPUT);

// partition_count: of the strategy "partition"; spread_level: of "spread".
#define EC2_PLACEMENT_GROUP(X, T)                                                                                      \
    X(T, STRING, group_id, "groupId")                                                                                  \
    X(T, STRING, group_name, "groupName")                                                                              \
    X(T, STRING, strategy, "strategy")                                                                                 \
    X(T, INTEGER, partition_count, "partitionCount")                                                                   \
    X(T, STRING, spread_level, "spreadLevel")                                                                          \
    X(T, STRING, state, "state")
AWS_STRUCT(Ec2PlacementGroup, EC2_PLACEMENT_GROUP);

#define EC2_DESCRIBE_PLACEMENT_GROUPS_INPUT(X, T)                                                                      \
    X(T, STRINGS, group_ids, "GroupId")                                                                                \
    X(T, STRINGS, group_names, "GroupName")                                                                            \
    X(T, LIST, filters, "Filter", Ec2Filter)
AWS_STRUCT(Ec2DescribePlacementGroupsInput, EC2_DESCRIBE_PLACEMENT_GROUPS_INPUT);

#define EC2_DESCRIBE_PLACEMENT_GROUPS_OUTPUT(X, T) X(T, LIST, placement_groups, "placementGroupSet", Ec2PlacementGroup)
AWS_STRUCT(Ec2DescribePlacementGroupsOutput, EC2_DESCRIBE_PLACEMENT_GROUPS_OUTPUT);

// Pages of at most 1000; not with capacity_reservation_ids.
extern const AwsOperation ec2_describe_capacity_reservations;
// Not paged. A name or id that is unknown is a fault.
extern const AwsOperation ec2_describe_placement_groups;
