// Places all classes in the strategy's order, repeatedly while any pod is placed.
#include "sched/place/place.h"

#include "sched/bin/limits.h"
#include "sched/bin/settle.h"
#include "sched/input/class_variants.h"
#include "sched/place/by_strategy.h"
#include "sched/place/change.h"
#include "sched/place/failures.h"
#include "sched/place/marginal.h"
#include "sched/place/marginal_state.h"
#include "sched/place/weigh.h"
#include "sched/solution.h"

#include <math.h>
#include <stdlib.h>

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
    return (x->first > y->first) - (x->first < y->first); // by name
}

// Lets the first waiting affinity group start a domain, when no other pod can be placed. False: none is waiting.
static bool start_waiting_group(Solver *solver, const uint32_t *order) {
    for (uint32_t i = 0; i < solver->classes.classes.count; i++) {
        const PodClass *class = &solver->classes.classes.items[order[i]];

        if (class->placed == class->count)
            continue;
        for (vec_each(uint32_t, number, &class_variant(class, 0)->groups)) {
            TopologyGroup *group = &solver->topology.groups.items[*number];

            if (!group->waits)
                continue;
            topology_start(group);
            return true;
        }
    }
    return false;
}

enum { VARIANT_STEPS = BUDGET_STEPS_PER_US / 10 };

// The same of a class whose preferences are weighed. One that has no place without them has none with them.
static uint32_t place_weighed(Solver *solver, uint32_t number) {
    const PodClass *class = &solver->classes.classes.items[number];
    uint32_t placed;

    if (variant_has_failed(solver, class_last_variant(class)))
        return 0;
    placed = weigh_place(solver, number);
    if (!placed)
        variant_note_failure(solver, class_last_variant(class));
    return placed;
}

// Places some pods of the class under the first variants that find a place, alternatives together. Returns how many.
static uint32_t place_some(Solver *solver, uint32_t number) {
    const PodClass *class = &solver->classes.classes.items[number];

    if (class->weighed)
        return place_weighed(solver, number);
    for (uint32_t i = 0; i < class->variants.count && budget_spend(&solver->budget, VARIANT_STEPS);
         i += variant_alternatives(class, i).count) {
        Variant *variant = class_variant(class, i);
        uint32_t placed;
        bool later = false;

        if (variant_has_failed(solver, variant))
            continue;
        placed = place_by_strategy(solver, number, i, class->count - class->placed, &later);
        if (placed)
            return placed;
        variant_note_failure(solver, variant);
    }
    return 0;
}

// The part of the deadline, 0 to 1, that a class may use. Half of the deadline is shared out by classes and by pods, so
// that every class can be tried whatever others use. Of the other half a class may use up to an eighth of what is left,
// if that is more.
static double allowance(const Solver *solver, const PodClass *class) {
    const double dealt = 0.5, rest = (1 - dealt - budget_used(&solver->budget)) / 8;
    double share = dealt / 2 * (1.0 / solver->classes.classes.count + (double)class->count / solver->pod_count);

    return share > rest ? share : rest;
}

// Begins the turn of a class: a part of the budget, at whose end the class may be set aside. False: no class is set
// aside now.
static bool begin_turn(Solver *solver, const PodClass *class) {
    const PlanSearch *asked = &solver->input->search;

    if (asked->patient || !budget_has_deadline(&solver->budget) || solver->budget.stops_at != BUDGET_DEADLINE)
        return false;
    budget_begin_share(&solver->budget, fmax(allowance(solver, class) - class->used, 0));
    return true;
}

static void end_turn(Solver *solver, PodClass *class, double used_before) {
    class->aside = class->placed < class->count && solver->budget.part_over;
    class->used += budget_used(&solver->budget) - used_before;
    budget_end_part(&solver->budget);
}

static bool place_class(Solver *solver, uint32_t number) {
    PodClass *class = &solver->classes.classes.items[number];
    bool progress = false, in_part;
    double used_before;

    if (class->placed == class->count || class->aside)
        return false;
    used_before = budget_used(&solver->budget);
    in_part = begin_turn(solver, class);
    while (class->placed < class->count && (place_some(solver, number) || bins_decide(solver, class))) {
        progress = true;
        if (budget_is_over(&solver->budget))
            break;
    }
    if (in_part)
        end_turn(solver, class, used_before);
    return progress;
}

// One pass over the classes with pods that are not placed. Returns whether any pod was placed.
static bool place_classes(Solver *solver, const uint32_t *order) {
    bool progress = false;

    for (uint32_t i = 0; i < solver->classes.classes.count && !budget_is_over(&solver->budget); i++)
        progress |= place_class(solver, order[i]);
    return progress;
}

static int compare_freedom(const void *a, const void *b) {
    const ClassOrder *x = a, *y = b;

    if (x->freedom != y->freedom)
        return x->freedom < y->freedom ? -1 : 1;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->class > y->class) - (x->class < y->class);
}

// Moves classes of lower ranks to the front; those of one rank stay in their order.
static void order_by_rank(Solver *solver, uint32_t *order) {
    uint32_t count = solver->classes.classes.count;
    ClassOrder *keys = arena_array(solver->arena, ClassOrder, count);

    for (uint32_t i = 0; i < count; i++)
        keys[i] = (ClassOrder){i, FREEDOM_ALL, -(double)solver->first_ranks[order[i]]};
    qsort(keys, count, sizeof *keys, compare_freedom);
    for (uint32_t i = 0; i < count; i++)
        keys[i].class = order[keys[i].class];
    for (uint32_t i = 0; i < count; i++)
        order[i] = keys[i].class;
}

static uint32_t *order_by_strategy(Solver *solver) {
    uint32_t count = solver->classes.classes.count;
    uint32_t *order = arena_array(solver->arena, uint32_t, count);
    ClassOrder *keys;

    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    if (solver->strategy == STRATEGY_FIRST_FIT || solver->strategy == STRATEGY_EMPTIEST_FIRST) {
        qsort_r(order, count, sizeof *order, compare_classes, solver);
        return order;
    }
    keys = arena_array(solver->arena, ClassOrder, count);
    marginal_order(solver, keys);
    qsort(keys, count, sizeof *keys, compare_freedom);
    for (uint32_t i = 0; i < count; i++)
        order[i] = keys[i].class;
    return order;
}

static uint32_t *order_classes(Solver *solver) {
    uint32_t *order = order_by_strategy(solver);

    if (solver->first_ranks)
        order_by_rank(solver, order);
    return order;
}

typedef bool Settle(Solver *solver);

// Decides something that was left open. Returns whether claims changed.
static bool settle(Solver *solver, Settle *decide) {
    bool changed = decide(solver);

    if (changed)
        marginal_drop(solver);
    return changed;
}

// Repeated, since placed pods and decided limits may allow pods that waited for them.
static void place_until_stuck(Solver *solver, const uint32_t *order) {
    while (!budget_is_over(&solver->budget) &&
           (place_classes(solver, order) || start_waiting_group(solver, order) || settle(solver, claims_settle_limits)))
        continue;
}

static void place_settled(Solver *solver, const uint32_t *order) {
    while (!budget_is_over(&solver->budget) && settle(solver, settle_domains))
        place_until_stuck(solver, order);
}

static uint64_t placed_pods(const Solver *solver) {
    uint64_t placed = 0;

    for (vec_each(const PodClass, class, &solver->classes.classes))
        placed += class->placed;
    return placed;
}

// Settles the domains of spreads where that places further pods. Where it does not, claims stay free to be in any
// domain.
static void try_settled(Solver *solver, const uint32_t *order) {
    uint64_t placed = placed_pods(solver);
    Solution before, after;

    if (solver->settles || !domains_are_waited_for(solver))
        return place_settled(solver, order);
    solution_keep(solver, &before);
    solution_start(solver, &before);
    place_settled(solver, order);
    if (placed_pods(solver) > placed) {
        solution_drop(&before);
        return;
    }
    solution_keep(solver, &after);
    solution_resume(solver, &before);
    solution_drop(&after);
}

void solver_place(Solver *solver) {
    uint32_t *order = order_classes(solver);

    place_until_stuck(solver, order);
    if (!budget_is_over(&solver->budget))
        try_settled(solver, order);
    if (budget_is_over(&solver->budget) && claims_settle_limits(solver)) // limits must hold even then
        marginal_drop(solver);
}
