// Whether a NodeClaim is still what its NodePool asks for. Reference lifecycle.md 4.8.
//
// What only the provider can see (images, subnets, …) is not here. A reason is the word that stands in the condition
// Drifted; an empty one: no drift.
#pragma once

#include "model/instance_type.h"

// "NodePoolDrifted": made from another template (annotations karpenter.sh/nodepool-hash of one version).
// "RequirementsDrifted": the claim's labels do not meet the requirements of the template.
// O(requirements × log labels).
Slice drift_from_pool(Arena *arena, Symbols *symbols, const NodePool *pool, const NodeClaim *claim);

// Whether `types`, those that the provider has for the pool, hold the claim's instance type with an offering, available
// or not, of the claim's zone and capacity type. A reserved claim is met by on-demand, too, and by any reservation.
// O(types + offerings).
bool drift_has_type(const InstanceTypeVec *types, const NodeClaim *claim);
