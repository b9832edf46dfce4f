// Failed searches for a place, and what makes another one worth the work.
#include "sched/place/failures.h"

// A number that changes whenever a failed search for a place may succeed: when the variant's groups, the number of bins
// or the limits change.
static uint64_t search_stamp(const Solver *solver, const Variant *variant) {
    uint64_t stamp = solver->bins.count + solver->limits_freed;

    for (vec_each(uint32_t, group, &variant->groups))
        stamp += solver->topology.groups.items[*group].changes;
    return stamp;
}

bool variant_has_failed(const Solver *solver, const Variant *variant) {
    return variant->failed &&
           (variant->failed_stamp == UINT64_MAX || variant->failed_stamp == search_stamp(solver, variant));
}

void variant_note_failure(const Solver *solver, Variant *variant) {
    variant->failed = true;
    variant->failed_stamp = search_stamp(solver, variant);
}

void solver_forget_failures(Solver *solver) {
    for (vec_each(PodClass, class, &solver->classes.classes)) {
        for (vec_each(Variant, variant, &class->variants)) {
            variant->first_bin = 0;
            variant->failed = false;
        }
    }
}
