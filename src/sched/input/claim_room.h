// Allocatable and capacity of a NodeClaim that has not launched, whichever of its instance types it becomes.
#pragma once

#include "model/instance_type.h"

// Sets the element-wise least allocatable and the element-wise largest capacity over the types (with the capacity
// overrides of their offerings) that `requirements` allows and that hold the claim's requests. Whatever is launched has
// at least the first, and counts at most the second against the limits of its pool. Without such a type (`types` may be
// NULL) both are spec.resources.requests, which the launch guarantees. O(types × offerings).
void claim_room(Arena *arena, const Symbols *symbols, const NodeClaim *claim, const Requirements *requirements,
                const InstanceTypeVec *types, Resources *ret_allocatable, Resources *ret_capacity);
