// spec.limits of a NodePool, checked again when a NodeClaim is created. Behaviour: reference lifecycle.md 2.2.
#pragma once

#include "model/objects.h"

// Why the pool may not take `more` (NULL: nothing) on top of `usage`; empty: it may. Karpenter refuses only when the
// usage exceeds a limit already; here a claim that would exceed it is refused too, so that plans made from an older
// snapshot never add up to more than a limit. The text is Karpenter's: "resource usage exceeds limit (limit=10,
// resource-name=cpu, usage=12)". O(limits).
Slice provision_limits_complaint(Arena *arena, const Symbols *symbols, const NodePool *pool, const Resources *usage,
                                 const Resources *more);
