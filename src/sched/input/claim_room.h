// The room of a NodeClaim that has not launched: what every instance type it may become has.
#pragma once

#include "model/instance_type.h"

// Sets the element-wise least allocatable and the element-wise largest capacity over the types (with their offerings'
// overrides) that `requirements` admits and that hold the claim's requests: whatever is launched has at least the
// first and counts at most the second against the limits of its pool. Without such a type (`types` may be NULL) both
// are spec.resources.requests, which the launch guarantees. O(types × offerings).
void claim_room(Arena *arena, const Symbols *symbols, const NodeClaim *claim, const Requirements *requirements,
                const InstanceTypeVec *types, Resources *ret_allocatable, Resources *ret_capacity);
