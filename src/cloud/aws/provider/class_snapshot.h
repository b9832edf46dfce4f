// A NodeClass as it was last found: what launches, instance types and drift need of one. Reference aws.md 1.2, 6.
#pragma once

#include "cloud/aws/ami/selection.h"
#include "cloud/aws/provider/parts.h"
#include "model/objects.h"

// Immutable; held by counting.
typedef struct {
    Arena arena;
    uint32_t holders; // atomic
    uint64_t number;  // of the provider's snapshots: equal numbers, equal contents
    Mono published;
    Slice name;
    EC2NodeClass class; // with the status as it was found
    Slice hash;
    AmiRequirementsVec ami_requirements; // of class.found.amis
    Slice placement_group_id;            // empty: none
    uint32_t placement_partitions;       // of a placement group of partitions; 0: it is none
} ClassSnapshot;

// The class of that name, to be released; NULL: not seen yet. Until a class is looked up for the first time it is as
// its object says. Any thread. O(classes).
const ClassSnapshot *provider_class_hold(AwsProvider *provider, Slice name);
void provider_class_release(const ClassSnapshot *snapshot); // NULL is fine
