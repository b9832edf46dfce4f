// The strategy that is nearest to Karpenter's: each class goes to the first bin that takes it, nodes before claims, and
// to a new claim of the first pool that can open one.
#include "sched/solver.h"

// Tries existing nodes, then open claims, in order. Pods placed; `ret_later`: a rule may change its mind.
static uint32_t place_in_bins(Solver *solver, uint32_t number, uint32_t variant_number, uint32_t want,
                              bool *ret_later) {
    const PodClass *class = &solver->classes.classes.items[number];
    Variant *variant = &class->variants.items[variant_number];
    bool closed = true; // every bin so far is closed for good

    for (uint32_t bin = variant->first_bin; bin < solver->bins.count; bin++) {
        Placement placement;
        Verdict verdict = bin_try(solver, &solver->bins.items[bin], class, variant, want, &placement);

        if (verdict == VERDICT_FITS) {
            solver_commit(solver, bin, number, variant_number, &placement);
            return placement.count;
        }
        *ret_later |= verdict == VERDICT_NOT_NOW;
        closed &= verdict == VERDICT_NEVER;
        if (closed)
            variant->first_bin = bin + 1;
    }
    return 0;
}

// Pools by weight, then by name: the first that can open a claim.
static uint32_t place_in_new_claim(Solver *solver, uint32_t number, uint32_t variant_number, uint32_t want,
                                   bool *ret_later) {
    const PodClass *class = &solver->classes.classes.items[number];
    const Variant *variant = &class->variants.items[variant_number];

    for (vec_each(Pool, pool, &solver->pools)) {
        Placement placement;
        uint32_t bin = claim_open(solver, pool, class, variant, want, &placement, ret_later);

        if (bin == INDEX_NONE)
            continue;
        solver_commit(solver, bin, number, variant_number, &placement);
        return placement.count;
    }
    return 0;
}

uint32_t first_fit_place(Solver *solver, uint32_t number, uint32_t variant, uint32_t want, bool *ret_later) {
    uint32_t placed = place_in_bins(solver, number, variant, want, ret_later);

    return placed ? placed : place_in_new_claim(solver, number, variant, want, ret_later);
}
