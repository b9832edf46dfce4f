// spec.limits of a NodePool, looked at once more when a claim is created. Reference lifecycle.md 2.2.
#pragma once

#include "model/objects.h"

// Whether the pool may take `more` on top of `usage`. Karpenter refuses when the usage is over a limit already; here a
// claim that would take it over is refused too, so that plans made from an older picture never add up to more than a
// limit. Empty: it may; else Karpenter's text: "resource usage exceeds limit (limit=10, resource-name=cpu, usage=12)".
// `more` NULL: nothing. O(limits).
Slice provision_limits_complaint(Arena *arena, const Symbols *symbols, const NodePool *pool, const Resources *usage,
                                 const Resources *more);
