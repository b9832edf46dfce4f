// One placement of everything: the classes in the strategy's order, again while anything moves.
#include "sched/solver.h"

#include <stdlib.h>

void solver_commit(Solver *solver, uint32_t bin, uint32_t class, uint32_t variant, const Placement *placement) {
    bin_commit(solver, &solver->bins.items[bin], class, variant, placement);
    if (solver->bins.items[bin].pool)
        claim_charge(solver, &solver->bins.items[bin]);
}

static int compare_classes(const void *a, const void *b, void *context) {
    const Solver *solver = context;
    const PodClass *x = &solver->classes.classes.items[*(const uint32_t *)a];
    const PodClass *y = &solver->classes.classes.items[*(const uint32_t *)b];
    uint32_t cpu = dimension_of(&solver->classes.dimensions, NAME_CPU);
    uint32_t memory = dimension_of(&solver->classes.dimensions, NAME_MEMORY);

    if (x->requests[cpu] != y->requests[cpu])
        return x->requests[cpu] > y->requests[cpu] ? -1 : 1;
    if (x->requests[memory] != y->requests[memory])
        return x->requests[memory] > y->requests[memory] ? -1 : 1;
    if (x->pod->created_ns != y->pod->created_ns)
        return x->pod->created_ns < y->pod->created_ns ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first); // the order of the input
}

// When nothing else moves: lets the first waiting affinity group start a domain. False: none is waiting.
static bool start_waiting_group(Solver *solver, const uint32_t *order) {
    for (uint32_t i = 0; i < solver->classes.classes.count; i++) {
        const PodClass *class = &solver->classes.classes.items[order[i]];

        if (class->placed == class->count)
            continue;
        for (vec_each(uint32_t, number, &class->variants.items[0].groups)) {
            TopologyGroup *group = &solver->topology.groups.items[*number];

            if (!group->waits)
                continue;
            topology_start(group);
            return true;
        }
    }
    return false;
}

// One pass over the classes that still have pods without a home; whether any was placed.
static bool place_classes(Solver *solver, const uint32_t *order) {
    bool progress = false;

    for (uint32_t i = 0; i < solver->classes.classes.count; i++) {
        const PodClass *class = &solver->classes.classes.items[order[i]];

        while (class->placed < class->count && (first_fit_place(solver, order[i]) || bins_decide(solver, class)))
            progress = true;
    }
    return progress;
}

void solver_place(Solver *solver) {
    uint32_t count = solver->classes.classes.count;
    uint32_t *order = arena_array(solver->arena, uint32_t, count);

    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, compare_classes, solver);
    // Again while pods that others wait for find places.
    while (place_classes(solver, order) || start_waiting_group(solver, order) || claims_settle_limits(solver) ||
           settle_domains(solver))
        continue;
}
