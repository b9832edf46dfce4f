// Opening NodeClaims.
#pragma once

#include "sched/input/class_variants.h"
#include "sched/solver.h"

// Opens a claim of the pool for up to `want` pods of a class and returns its index, that of the last bin; INDEX_NONE:
// the class cannot open one there now. `ret_later`: a topology rule may allow it later.
uint32_t claim_open(Solver *solver, Pool *pool, const PodClass *class, const Variant *variant, uint32_t want,
                    Placement *ret_placement, bool *ret_later);

// The label state of new claims of the pool for the variant without a reservation; LABEL_STATE_NONE: no type is left.
// O(1).
uint32_t claim_open_state(Solver *solver, const Pool *pool, const Variant *variant);

// The price of a claim of the pool for one pod of the class, $ per hour; INFINITY: it cannot be opened now.
double claim_quote(Solver *solver, Pool *pool, const PodClass *class, const Variant *variant);

// Whether the pool could open a claim for a pod of the class now. True as well if claim_open would first restrict the
// pool's types by its limits (pool_tighten) and try again. Nothing changes. The cost of claim_quote.
bool claim_may_open(Solver *solver, Pool *pool, const PodClass *class, const Variant *variant);

// Whether new claims take an instance of a reservation before anything else, if one is left. O(reservations).
bool claim_may_be_reserved(const Solver *solver);

// The one of a class's alternatives with the least claim_quote; the first if there is only one.
uint32_t claim_cheapest(Solver *solver, Pool *pool, const PodClass *class, Alternatives alternatives);

// Gives back, or takes again, an instance of the reservation that the claim uses, if any.
void claim_release(Solver *solver, const Bin *bin);
void claim_reserve(Solver *solver, const Bin *bin);
