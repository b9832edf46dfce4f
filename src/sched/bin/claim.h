// Opening NodeClaims.
#pragma once

#include "sched/input/class_variants.h"
#include "sched/solver.h"

// Opens a claim for a class in the pool; INDEX_NONE when the class cannot start one there now. The claim is the last
// bin. `ret_later`: a topology rule may allow it later.
uint32_t claim_open(Solver *solver, Pool *pool, const PodClass *class, const Variant *variant, uint32_t want,
                    Placement *ret_placement, bool *ret_later);

// What new claims of the pool for the variant start from without a reservation; LABEL_STATE_NONE: no type is left.
// O(1).
uint32_t claim_open_state(Solver *solver, const Pool *pool, const Variant *variant);

// What a claim for one pod of the class would cost in the pool if it were opened now; INFINITY: it cannot be.
double claim_quote(Solver *solver, Pool *pool, const PodClass *class, const Variant *variant);

// Whether the pool could open one for a pod of the class now, once its types are cut to its limits where that helps.
// Nothing changes. The cost of claim_quote.
bool claim_may_open(Solver *solver, Pool *pool, const PodClass *class, const Variant *variant);

// The one of a class's alternatives under which that is least; the first where there is no choice.
uint32_t claim_cheapest(Solver *solver, Pool *pool, const PodClass *class, Alternatives alternatives);

// Gives back the reservation that the claim is tied to, if any; takes it again.
void claim_release(Solver *solver, const Bin *bin);
void claim_reserve(Solver *solver, const Bin *bin);
