// Verdict and commit for one class.
#include "sched/place/put.h"

#include "sched/bin/claim.h"
#include "sched/place/commit.h"

uint32_t put_on_bin(Solver *solver, uint32_t bin, uint32_t number, Alternatives variants, uint32_t want) {
    const PodClass *class = &solver->classes.classes.items[number];
    Placement placement;

    for (uint32_t i = variants.first; i < variants.first + variants.count; i++) {
        if (bin_try(solver, &solver->bins.items[bin], class, class_variant(class, i), want, &placement) != VERDICT_FITS)
            continue;
        solver_commit(solver, bin, number, i, &placement);
        return placement.count;
    }
    return 0;
}

uint32_t put_on_claim(Solver *solver, Pool *pool, uint32_t number, Alternatives variants, uint32_t want,
                      uint32_t *ret_bin) {
    const PodClass *class = &solver->classes.classes.items[number];
    uint32_t variant = claim_cheapest(solver, pool, class, variants), bin;
    Placement placement;
    bool later = false;

    bin = claim_open(solver, pool, class, class_variant(class, variant), want, &placement, &later);
    if (bin == INDEX_NONE)
        return 0;
    solver_commit(solver, bin, number, variant, &placement);
    *ret_bin = bin;
    return placement.count;
}
