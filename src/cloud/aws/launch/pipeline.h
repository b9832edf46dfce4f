// Which instance types and offerings a launch asks EC2 for. Reference aws.md 3.2; scheduling.md 3.4 for the order.
//
// Each filter takes from what the one before it left: what the claim allows and fits; one kind of reservations; one
// offering of a capacity block; the roomiest reservation of a zone; no metal and no accelerators where others do; no
// spot offering that costs more than on demand. Of the rest the 60 cheapest types stay, and one capacity type.
#pragma once

#include "cloud/aws/launch/launch_types.h"
#include "cloud/cloud.h"

enum { LAUNCH_TYPES_MAX = 60, LAUNCH_TYPES_FLEXIBLE = 5 };

typedef struct {
    InstanceTypeVec types; // by price, then name; with the offerings of the capacity type that are asked for
    Symbol capacity_type;  // reserved before spot before on-demand
    Slice tenancy;         // "default", "dedicated"
    bool is_inflexible;    // on demand although spot is allowed, and fewer than LAUNCH_TYPES_FLEXIBLE types: worth a
                           // warning
} LaunchChoice;

// Chooses among the types of a NodePool and EC2NodeClass, which are not changed; the choice shares their texts and
// requirements. O(types × (keys + offerings)), and O(types log types). ERR_CAPACITY: no type has an
// offering for the claim, which the message repeats, or too few types for its minValues; the other filters leave some.
ErrCode launch_choose(Arena *arena, const LaunchWish *wish, const InstanceTypeVec *types, LaunchChoice *ret_choice,
                      CloudError *error);
