// Strategies that do not compare prices: they try nodes, then open claims, then a new claim of the first pool that can
// open one. First fit tries bins in their order; emptiest first tries claims with the fewest pods first.
#include "sched/place/first_fit.h"

#include "sched/bin/claim.h"
#include "sched/place/commit.h"

// Tries existing nodes, then open claims, in order, until one takes pods. Returns how many.
static uint32_t place_in_bins(Solver *solver, uint32_t number, uint32_t variant_number, uint32_t want,
                              bool *ret_later) {
    const PodClass *class = &solver->classes.classes.items[number];
    Variant *variant = class_variant(class, variant_number);
    bool closed = true; // no bin so far will ever take such a pod

    for (uint32_t bin = variant->first_bin; bin < solver->bins.count && !budget_is_over(&solver->budget); bin++) {
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

// Opens a claim in the first pool that can; pools are sorted by weight, then by name.
static uint32_t place_in_new_claim(Solver *solver, uint32_t number, Alternatives alternatives, uint32_t want,
                                   bool *ret_later) {
    const PodClass *class = &solver->classes.classes.items[number];

    for (vec_each(Pool, pool, &solver->pools)) {
        uint32_t variant = claim_cheapest(solver, pool, class, alternatives), bin;
        Placement placement;

        bin = claim_open(solver, pool, class, class_variant(class, variant), want, &placement, ret_later);
        if (bin == INDEX_NONE)
            continue;
        solver_commit(solver, bin, number, variant, &placement);
        return placement.count;
    }
    return 0;
}

uint32_t first_fit_place(Solver *solver, uint32_t number, uint32_t variant, uint32_t want, bool *ret_later) {
    Alternatives alternatives = variant_alternatives(&solver->classes.classes.items[number], variant);
    uint32_t placed = 0;

    for (uint32_t i = 0; i < alternatives.count && !placed; i++)
        placed = place_in_bins(solver, number, alternatives.first + i, want, ret_later);
    return placed ? placed : place_in_new_claim(solver, number, alternatives, want, ret_later);
}

// Sorts claims by number of pods, fewest first, then by age. Insertion sort: the list is almost sorted, since counts
// only grow, by a few at a time.
static void sort_claims(Solver *solver) {
    U32Vec *order = &solver->emptiest;

    for (uint32_t i = solver->node_count + order->count; i < solver->bins.count; i++)
        vec_push(solver->placing, order, i);
    for (uint32_t i = 1; i < order->count; i++) {
        uint32_t bin = order->items[i], count = solver->bins.items[bin].pod_count, at = i;

        for (; at > 0; at--) {
            uint32_t other = order->items[at - 1], others = solver->bins.items[other].pod_count;

            if (others < count || (others == count && other < bin))
                break;
            order->items[at] = other;
        }
        order->items[at] = bin;
    }
}

static bool place_one(Solver *solver, uint32_t bin, uint32_t number, uint32_t variant, bool *ret_later) {
    const PodClass *class = &solver->classes.classes.items[number];
    Placement placement;
    Verdict verdict = bin_try(solver, &solver->bins.items[bin], class, class_variant(class, variant), 1, &placement);

    *ret_later |= verdict == VERDICT_NOT_NOW;
    if (verdict == VERDICT_FITS)
        solver_commit(solver, bin, number, variant, &placement);
    return verdict == VERDICT_FITS;
}

// Tries the alternatives on the bin until one fits.
static bool place_alternative(Solver *solver, uint32_t bin, uint32_t number, Alternatives alternatives,
                              bool *ret_later) {
    bool placed = false;

    for (uint32_t i = 0; i < alternatives.count && !placed; i++)
        placed = place_one(solver, bin, number, alternatives.first + i, ret_later);
    return placed;
}

uint32_t emptiest_place(Solver *solver, uint32_t number, uint32_t variant, uint32_t want, bool *ret_later) {
    Alternatives alternatives = variant_alternatives(&solver->classes.classes.items[number], variant);

    (void)want; // one pod at a time: each may change the order of claims
    for (uint32_t i = 0; i < solver->node_count && !budget_is_over(&solver->budget); i++) {
        if (place_alternative(solver, i, number, alternatives, ret_later))
            return 1;
    }
    sort_claims(solver);
    for (uint32_t i = 0; i < solver->emptiest.count && !budget_is_over(&solver->budget); i++) {
        if (place_alternative(solver, solver->emptiest.items[i], number, alternatives, ret_later))
            return 1;
    }
    return place_in_new_claim(solver, number, alternatives, 1, ret_later);
}
