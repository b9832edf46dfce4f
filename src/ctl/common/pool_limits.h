// spec.limits of NodePools when NodeClaims are created: the plan that asked for them was made from an older snapshot,
// and others may have taken the room since. What each claim may count at most is on order from then on (state_order).
// Behaviour: reference lifecycle.md 2.2.
#pragma once

#include "ctl/ctl.h"

// Notes that the create of an order failed. Without an answer the claim may exist: the order counts for 30 s more, when
// it is in the State or never will be.
void order_failed(Turn *turn, uint32_t order, const Completion *completion);

// What the planned claim counts when it becomes the largest of its types. O(types).
Resources planned_most(Arena *arena, const PlannedClaim *planned);

// What the pool has when everything on order has become the largest that it may; forgets orders that are over.
// O(orders).
Resources pool_usage_at_most(Turn *turn, Symbol pool);

// Why the pool may not take `more` (NULL: nothing) on top of `usage`; empty: it may. Karpenter refuses only when the
// usage exceeds a limit already; here a claim that would exceed it is refused too, so that plans made from an older
// snapshot never add up to more than a limit. The text is Karpenter's: "resource usage exceeds limit (limit=10,
// resource-name=cpu, usage=12)". O(limits).
Slice pool_limits_complaint(Arena *arena, const Symbols *symbols, const NodePool *pool, const Resources *usage,
                            const Resources *more);
