// Instance types as they are launchable now: without what is remembered as unavailable. Reference aws.md 2.6, 4.4.
#pragma once

#include "cloud/aws/launch/unavailable.h"
#include "model/ec2_node_class.h"
#include "model/instance_type.h"

// What the marks are asked for.
typedef struct {
    const UnavailableBook *book;
    const SubnetStatusVec *subnets; // of the class' status
    const SymbolVec *zones_left;    // nothing of these zones is available; NULL: none
    Symbol group;                   // placement group; NAME_EMPTY: none
    uint32_t partition;             // of the group; 0: none
    int64_t now_ns;
} LaunchMask;

// The types with those offerings unavailable that are marked; nothing becomes available. A type without such an
// offering shares its offerings with the one given. O(types + zones × subnets + marks), and O(offerings × (zones + log
// marks)) of types that are marked, or of all when all of a zone, capacity type or reservation may be.
InstanceTypeVec launch_mask_types(Arena *arena, const LaunchMask *mask, const InstanceTypeVec *types);
