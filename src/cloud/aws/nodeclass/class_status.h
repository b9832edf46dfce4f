// The status of an EC2NodeClass as the API has it: what was found in EC2, as trees of Values for a patch, and the names
// of its conditions. It is read with the object (model/ec2_node_class.h). Reference aws.md 1.2, 1.3.
#pragma once

#include "model/objects.h"

// Conditions, of which Ready is the sum: type, then reasons for which it is not True.
#define CLASS_CONDITIONS(X)                                                                                            \
    X(AMIS, "AMIsReady")                                                                                               \
    X(SUBNETS, "SubnetsReady")                                                                                         \
    X(SECURITY_GROUPS, "SecurityGroupsReady")                                                                          \
    X(INSTANCE_PROFILE, "InstanceProfileReady")                                                                        \
    X(VALIDATION, "ValidationSucceeded")                                                                               \
    X(PLACEMENT_GROUP, "PlacementGroupReady")                                                                          \
    X(RESERVATIONS, "CapacityReservationsReady") /* only with the gate ReservedCapacity */

enum {
#define X(name, text) CLASS_CONDITION_##name,
    CLASS_CONDITIONS(X)
#undef X
        CLASS_CONDITION_COUNT
};

extern const char *const class_conditions[CLASS_CONDITION_COUNT];

// The lists of the status in the order in which they are written: subnets as they are given (most free addresses
// first), security groups and reservations by id, images as they are given (newest first), their requirements by length
// of the key, then the key. The lists given are sorted in place. Texts are shared. O(n log n).
Value class_subnets_value(Arena *arena, const Symbols *symbols, const SubnetStatusVec *subnets);
Value class_groups_value(Arena *arena, SecurityGroupStatusVec *groups);
Value class_amis_value(Arena *arena, const Symbols *symbols, const AmiStatusVec *amis);
Value class_reservations_value(Arena *arena, const Symbols *symbols, CapacityReservationVec *reservations);

// The merge patch {"status": …} with all that was found, without conditions; lists that are empty are null, which
// removes them. O(n log n).
Value class_status_patch(Arena *arena, const Symbols *symbols, EC2NodeClass *class);
