// Writes claims, nodes that get pods, and the pods that are left over.
#include "sched/plan_write.h"

#include "base/numbers.h"
#include "sched/claim_excluded.h"
#include "sched/claim_values.h"
#include "sched/explain/explain.h"
#include "sched/plan_preferences.h"
#include "sched/set_aside.h"

#include <math.h>
#include <stdlib.h>

// Adds the resources of which pods request 0.
static void write_zeros(Solver *solver, const Bin *bin, Resources *requests) {
    for (vec_each(BinPods, pods, &bin->pods)) {
        const Resources *list = &solver->classes.classes.items[pods->class].request_list;

        for (uint32_t i = 0; i < list->count; i++) {
            if (!list->items[i].amount && !resources_has(requests, list->items[i].resource))
                resources_set(solver->result, requests, list->items[i].resource, 0);
        }
    }
}

// The requests of a claim: those of its pods, and the least overhead of daemons on its types.
static void write_requests(Solver *solver, const Bin *bin, const ClaimSpec *spec, Resources *ret_requests) {
    const Dimensions *dimensions = &solver->classes.dimensions;

    for (uint32_t dim = 0; dim < dimensions->count; dim++) {
        int64_t amount = bin->used[dim] + spec->overhead[dim];

        if (amount && dimensions->resources[dim] != NAME_EMPTY)
            resources_set(solver->result, ret_requests, dimensions->resources[dim], amount);
    }
    write_zeros(solver, bin, ret_requests);
}

// Takes the next pods of each class of a bin.
static void take_pods(Solver *solver, uint32_t *cursors, const Bin *bin, U32Vec *ret_pods) {
    uint32_t count = 0;

    for (vec_each(BinPods, pods, &bin->pods))
        count += pods->count;
    ret_pods->items = arena_array(solver->result, uint32_t, count);
    ret_pods->capacity = count;
    for (vec_each(BinPods, pods, &bin->pods)) {
        const uint32_t *members = solver->classes.pods + solver->classes.classes.items[pods->class].first;

        for (uint32_t i = 0; i < pods->count; i++)
            ret_pods->items[ret_pods->count++] = members[cursors[pods->class]++];
    }
    if (ret_pods->count)
        qsort(ret_pods->items, ret_pods->count, sizeof *ret_pods->items, u32_compare);
}

void solver_write_claim(Solver *solver, ClaimSpecs *specs, const Bin *bin, PlannedClaim *ret_claim) {
    const ClaimSpec *spec = claim_spec(solver, specs, bin);

    *ret_claim = (PlannedClaim){.pool = bin->pool->pool,
                                .types = spec->types,
                                .choice = bin->pool->table->rows[spec->launch.row].type,
                                .offering = spec->launch.offering,
                                .requirements = spec->requirements,
                                .labels = spec->labels,
                                .min_values_relaxed = bin->min_values_relaxed};
    claim_add_excluded(solver, bin, &ret_claim->requirements);
    claim_bound_values(solver->result, solver->universe.symbols, ret_claim);
    write_requests(solver, bin, spec, &ret_claim->requests);
}

static void write_ignored(Arena *arena, const PlanInput *input, uint32_t pod, Plan *plan) {
    const PendingPod *pending = &input->pending.items[pod];
    UnplacedPod unplaced = {.pod = pod, .aside = pending->aside, .message = pending->ignored};

    if (!unplaced.aside)
        unplaced.message = arena_printf(arena, "ignoring pod, %.*s", SLICE_ARG(pending->ignored));
    vec_push(arena, &plan->unplaced, unplaced);
}

// Explains why the rest of a class is not placed, unless the budget is used up.
static void explain_class(Solver *solver, PodClass *class, UnplacedPod *unplaced) {
    unplaced->aside = class->aside;
    if (class->aside)
        unplaced->message = SLICE(SET_ASIDE_TEXT);
    else if (solver->budget.end >= BUDGET_DEADLINE)
        unplaced->message = SLICE(DEADLINE_TEXT);
    else
        solver_explain(solver, class, &unplaced->reasons, &unplaced->message);
}

static void write_unplaced(Solver *solver, Plan *plan) {
    for (uint32_t i = 0; i < solver->input->pending.count; i++) {
        if (!slice_is_empty(solver->input->pending.items[i].ignored))
            write_ignored(solver->result, solver->input, i, plan);
    }
    for (vec_each(PodClass, class, &solver->classes.classes)) {
        UnplacedPod unplaced = {0};

        if (class->placed == class->count)
            continue;
        explain_class(solver, class, &unplaced);
        for (uint32_t i = class->placed; i < class->count; i++) {
            unplaced.pod = solver->classes.pods[class->first + i];
            vec_push(solver->result, &plan->unplaced, unplaced);
        }
    }
}

// O(DaemonSets + pools × those that are left out there).
static void write_left_out(Solver *solver, Plan *plan) {
    const DaemonSetVec *daemons = &solver->input->cluster->daemon_sets;
    SymbolVec *pools = arena_array(solver->arena, SymbolVec, daemons->count);

    for (vec_each(Pool, pool, &solver->pools)) {
        for (vec_each(uint32_t, number, &pool->daemons_left_out))
            vec_push(solver->result, &pools[*number], pool->pool->meta.name);
    }
    for (uint32_t i = 0; i < daemons->count; i++) {
        if (pools[i].count)
            vec_push(solver->result, &plan->daemons, (LeftOutDaemon){&daemons->items[i], pools[i]});
    }
}

static int compare_unplaced(const void *a, const void *b) {
    return u32_compare(&((const UnplacedPod *)a)->pod, &((const UnplacedPod *)b)->pod);
}

static void write_bins(Solver *solver, Plan *plan) {
    uint32_t *cursors = arena_array(solver->arena, uint32_t, solver->classes.classes.count);
    uint32_t *numbers = arena_array(solver->arena, uint32_t, solver->pools.count);
    ClaimSpecs specs = {0};

    plan->claims.items = arena_array(solver->result, PlannedClaim, solver->bins.count - solver->node_count);
    for (vec_each(const Bin, bin, &solver->bins)) {
        if (bin->pool && !bin->gone) {
            PlannedClaim *claim = &plan->claims.items[plan->claims.count++];

            solver_write_claim(solver, &specs, bin, claim);
            take_pods(solver, cursors, bin, &claim->pods);
            claim->name = arena_printf(solver->result, "%.*s-%u",
                                       SLICE_ARG(symbol_text(solver->universe.symbols, bin->pool->pool->meta.name)),
                                       ++numbers[bin->pool->number]);
            plan->price_per_hour += claim->offering->price_per_hour;
        } else if (bin->pods.count) {
            PlannedNode *node = vec_add(solver->result, &plan->nodes);

            node->node = bin->node;
            take_pods(solver, cursors, bin, &node->pods);
        }
    }
}

void plan_write_nothing(Arena *arena, const PlanInput *input, Plan *ret_plan) {
    *ret_plan = (Plan){.floor_per_hour = NAN};
    for (uint32_t i = 0; i < input->pending.count; i++) {
        if (slice_is_empty(input->pending.items[i].ignored))
            vec_push(arena, &ret_plan->unplaced, (UnplacedPod){.pod = i, .message = SLICE(DEADLINE_TEXT)});
        else
            write_ignored(arena, input, i, ret_plan);
    }
}

void solver_write_plan(Solver *solver, Plan *ret_plan) {
    Plan plan = {.class_count = solver->classes.classes.count,
                 .floor_per_hour = NAN,
                 .cut_short = solver->budget.end >= BUDGET_DEADLINE};

    write_bins(solver, &plan);
    write_unplaced(solver, &plan);
    write_left_out(solver, &plan);
    write_preferences(solver, &plan);
    for (vec_each(const Pod *const, pod, &solver->read_in_part))
        vec_push(solver->result, &plan.read_in_part, *pod);
    if (plan.unplaced.count)
        qsort(plan.unplaced.items, plan.unplaced.count, sizeof *plan.unplaced.items, compare_unplaced);
    for (vec_each(Pool, pool, &solver->pools)) {
        if (pool->table->types->count > plan.type_count)
            plan.type_count = pool->table->types->count;
    }
    *ret_plan = plan;
}
