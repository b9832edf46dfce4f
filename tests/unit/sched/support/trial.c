// Solves worlds step by step.
#include "sched/support/trial.h"
#include "sched/bin/claim.h"
#include "sched/place/commit.h"
#include "sched/place/place.h"
#include "sched/plan_write.h"
#include "sched/prepare.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "sched/support/world_parts.h"

Trial *trial_begin(World *world) {
    Trial *trial = calloc(1, sizeof *trial);

    CHECK(trial, "out of memory");
    world_plan(world);
    solver_init(&trial->solver, &trial->arena, world_input(world));
    trial->solver.result = &trial->arena;
    solution_keep(&trial->solver, &trial->initial);
    return trial;
}

void trial_end(Trial *trial) {
    solutions_free(&trial->solver);
    arena_free(&trial->arena);
    free(trial);
}

void trial_place(Trial *trial, Strategy strategy) {
    solution_start(&trial->solver, &trial->initial);
    trial->solver.strategy = strategy;
    solver_place(&trial->solver);
}

// --- by hand

void trial_clear(Trial *trial) {
    solution_start(&trial->solver, &trial->initial);
}

uint32_t trial_class(const Trial *trial, const char *pod) {
    const Solver *solver = &trial->solver;

    for (uint32_t i = 0; i < solver->classes.classes.count; i++) {
        const PodClass *class = &solver->classes.classes.items[i];

        if (slice_starts_with(symbol_text(solver->universe.symbols, class->pod->name), slice_of(pod)))
            return i;
    }
    CHECK(false, "no pod \"%s\"", pod);
    return 0;
}

uint32_t trial_bin_of(const Trial *trial, const char *pod) {
    uint32_t class = trial_class(trial, pod);

    for (vec_each(const Bin, bin, &trial->solver.bins)) {
        for (vec_each(const BinPods, pods, &bin->pods)) {
            if (pods->class == class)
                return bin->number;
        }
    }
    return INDEX_NONE;
}

uint32_t trial_open(Trial *trial, const char *pool_name, const char *pod) {
    Solver *solver = &trial->solver;
    uint32_t number = trial_class(trial, pod), bin = INDEX_NONE;
    const PodClass *class = &solver->classes.classes.items[number];
    Placement placement;
    bool later = false;

    for (vec_each(Pool, pool, &solver->pools)) {
        if (slice_eq_text(symbol_text(solver->universe.symbols, pool->pool->meta.name), pool_name))
            bin = claim_open(solver, pool, class, &class->variants.items[0], 1, &placement, &later);
    }
    CHECK(bin != INDEX_NONE, "pool \"%s\" opens no claim for \"%s\"", pool_name, pod);
    solver_commit(solver, bin, number, 0, &placement);
    return bin;
}

uint32_t trial_put(Trial *trial, uint32_t bin, const char *pod) {
    Solver *solver = &trial->solver;
    uint32_t number = trial_class(trial, pod);
    const PodClass *class = &solver->classes.classes.items[number];
    Placement placement;

    CHECK(bin_try(solver, &solver->bins.items[bin], class, &class->variants.items[0], 1, &placement) == VERDICT_FITS,
          "bin %u has no place for \"%s\"", bin, pod);
    solver_commit(solver, bin, number, 0, &placement);
    return bin;
}

// --- results

double trial_price(Trial *trial) {
    Solution solution;

    solution_keep(&trial->solver, &solution);
    return solution.price;
}

uint32_t trial_placed(Trial *trial) {
    Solution solution;

    solution_keep(&trial->solver, &solution);
    return solution.placed_count;
}

Plan trial_plan(Trial *trial) {
    Plan plan;

    solver_write_plan(&trial->solver, &plan);
    return plan;
}

Plan world_search(World *world, PlanSearch search) {
    PlanInput input = *world_input(world);
    Plan plan;

    input.search = search;
    plan_solve(&world_cluster(world)->arena, &input, &plan);
    return plan;
}

Plan world_strategy(World *world, Strategy strategy) {
    return world_search(world, (PlanSearch){.effort = EFFORT_FAST, .strategies = 1U << strategy});
}

Plan world_effort(World *world, Effort effort) {
    return world_search(world, (PlanSearch){.effort = effort});
}

// --- plans as texts

static void append_pods(Buffer *text, const World *world, const U32Vec *pods) {
    for (vec_each(uint32_t, pod, pods))
        buffer_printf(
            text, " %.*s",
            SLICE_ARG(symbol_text(&world->input.cluster->symbols, world->input.pending.items[*pod].pod->name)));
    buffer_append_char(text, '\n');
}

static void append_claim(Buffer *text, World *world, const PlannedClaim *claim) {
    const Symbols *symbols = &world->input.cluster->symbols;
    const Offering *offering = claim->offering;

    buffer_printf(text, "%.*s: %.*s %.*s %.*s $%.9g%s\n types", SLICE_ARG(claim->name),
                  SLICE_ARG(symbol_text(symbols, claim->choice->name)), SLICE_ARG(symbol_text(symbols, offering->zone)),
                  SLICE_ARG(symbol_text(symbols, offering->capacity_type)), offering->price_per_hour,
                  claim->min_values_relaxed ? " relaxed" : "");
    for (vec_each(const InstanceType *, type, &claim->types))
        buffer_printf(text, " %.*s", SLICE_ARG(symbol_text(symbols, (*type)->name)));
    buffer_printf(text, "\n requirements %.*s\n requests %.*s\n labels",
                  SLICE_ARG(requirements_print(&world->arena, symbols, &claim->requirements)),
                  SLICE_ARG(resources_print_json(&world->arena, symbols, &claim->requests)));
    for (uint32_t i = 0; i < claim->labels.count; i++)
        buffer_printf(text, " %.*s=%.*s", SLICE_ARG(symbol_text(symbols, claim->labels.items[i].key)),
                      SLICE_ARG(symbol_text(symbols, claim->labels.items[i].value)));
    buffer_printf(text, "\n pods");
    append_pods(text, world, &claim->pods);
}

const char *plan_text(World *world, const Plan *plan) {
    const Symbols *symbols = &world->input.cluster->symbols;
    Buffer text = {0};
    const char *copy;

    for (vec_each(PlannedClaim, claim, &plan->claims))
        append_claim(&text, world, claim);
    for (vec_each(PlannedNode, node, &plan->nodes)) {
        buffer_printf(&text, "%.*s:", SLICE_ARG(symbol_text(symbols, node->node->name)));
        append_pods(&text, world, &node->pods);
    }
    for (vec_each(UnplacedPod, pod, &plan->unplaced))
        buffer_printf(&text, "pod %u: %.*s\n", pod->pod, SLICE_ARG(pod->message));
    buffer_printf(&text, "$%.9g/hour\n", plan->price_per_hour);
    copy = arena_text(&world->arena, buffer_slice(&text));
    buffer_free(&text);
    return copy;
}

uint32_t plan_pods_on_claims(const Plan *plan) {
    uint32_t count = 0;

    for (vec_each(PlannedClaim, claim, &plan->claims))
        count += claim->pods.count;
    return count;
}

uint32_t plan_pods(const Plan *plan) {
    uint32_t count = plan_pods_on_claims(plan);

    for (vec_each(PlannedNode, node, &plan->nodes))
        count += node->pods.count;
    return count;
}
