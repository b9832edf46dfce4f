// The instance types that a replacement may become, and what they cost. Reference lifecycle.md 4.10, 4.11.
//
// The claims are copies (planned_claim_copy): functions that change one leave its requirements, its types and what it
// is expected to become in agreement. Offerings without a price are never chosen.
#pragma once

#include "sched/plan.h"

// Of the available offerings of the type that the claim's requirements allow: the lowest price, and the highest one
// within the best capacity type (reserved, spot, on-demand). INFINITY: there is none. O(offerings).
double replacement_cheapest(const Symbols *symbols, const PlannedClaim *claim, const InstanceType *type);
double replacement_worst(const Symbols *symbols, const PlannedClaim *claim, const InstanceType *type);

// Whether the claim may become an instance of the capacity type.
bool replacement_may_be(const Symbols *symbols, const PlannedClaim *claim, Symbol capacity_type);

// Keeps the types whose worst price is below a price, by more than rounding: prices are sums.
void replacement_keep_below(Arena *arena, const Symbols *symbols, PlannedClaim *claim, double price_per_hour);
// Keeps the cheapest types.
void replacement_keep_cheapest(Arena *arena, const Symbols *symbols, PlannedClaim *claim, uint32_t count);
// Keeps the types that are named.
void replacement_keep_named(Arena *arena, const Symbols *symbols, PlannedClaim *claim, const SymbolVec *names);
// Takes away a capacity type, and the types that have no other.
void replacement_exclude(Arena *arena, const Symbols *symbols, PlannedClaim *claim, Symbol capacity_type);

// Whether the first `count` types have as many values of each label as its requirements ask for (minValues).
// ret_complaint (may be NULL): Karpenter's text if not.
bool replacement_meets_min_values(Arena *arena, const Symbols *symbols, const PlannedClaim *claim, uint32_t count,
                                  Slice *ret_complaint);
