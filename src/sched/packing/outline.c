// Efforts, and the order of things.
#include "sched/packing/outline.h"

#include "sched/packing/floor_search.h"
#include "sched/packing/resource_prices.h"

#include <math.h>

// What an effort buys, in elementary operations of about two nanoseconds. Small inputs get less: it goes by pods.
typedef struct {
    uint32_t steps, steps_most;                // of branching per question
    uint64_t greedy, columns, rounding, prove; // at most
    uint64_t columns_per_pod, prove_per_pod;   // at most, per pod
    uint64_t improve;                          // at each step of rounding
    uint32_t prove_steps;
    double near; // greedy plans within that factor of the floor are good enough
} OutlineEffort;

static const OutlineEffort efforts[] = {
    [EFFORT_FAST] = {.steps = 100, .greedy = 20000000},
    [EFFORT_NORMAL] = {.steps = 100,
                       .steps_most = 400,
                       .greedy = 30000000,
                       .columns = 20000000,
                       .columns_per_pod = 10000,
                       .rounding = 10000000,
                       .prove = 6000000,
                       .prove_per_pod = 2000,
                       .prove_steps = 200,
                       .near = 1.02},
    [EFFORT_BEST] = {.steps = 400,
                     .steps_most = 20000,
                     .greedy = 300000000,
                     .columns = 800000000,
                     .columns_per_pod = 400000,
                     .rounding = 800000000,
                     .prove = 600000000,
                     .prove_per_pod = 200000,
                     .improve = 4000000,
                     .prove_steps = 100000,
                     .near = 1},
};

// Bonuses for large items that greedy plans are made with; the first one for small efforts.
static const double bonuses[] = {2, 4, 1, 8};

// A packing with very many sizes has a floor and nothing else.
static bool has_patterns(const Outline *outline) {
    return outline->packing.most && outline->packing.items.count;
}

void outline_make(Outline *outline, Arena *arena, Solver *solver) {
    double *worth, *bounds;

    *outline = (Outline){0};
    packing_make(&outline->packing, arena, solver);
    floor_proof_init(&outline->proof, arena, &outline->packing);
    worth = arena_array(arena, double, outline->packing.items.count);
    bounds = arena_array(arena, double, outline->packing.kinds.count);
    if (resource_prices(&outline->packing, worth, bounds))
        floor_proof_offer(&outline->proof, &outline->packing, worth, bounds);
    for (vec_each(PackItem, item, &outline->packing.items))
        outline->pods += item->count;
    if (!has_patterns(outline))
        return;
    patterns_init(&outline->patterns, arena, &outline->packing);
    pattern_plan_start(&outline->patterns, &outline->plan);
}

static uint64_t lesser(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static void plan_greedily(Outline *outline, const OutlineEffort *effort, double bonus) {
    GreedyRule rule = {
        .worth = outline->proof.worth, .size_bonus = bonus, .steps = effort->steps, .work = effort->greedy};
    PatternPlan plan;

    pattern_plan_start(&outline->patterns, &plan);
    pattern_plan_fill(&outline->patterns, &plan, &rule);
    if (pattern_plan_is_better(&plan, &outline->plan))
        outline->plan = plan;
}

static void plan_by_columns(Outline *outline, const OutlineEffort *effort) {
    uint64_t work = outline->pods * effort->columns_per_pod;
    ColumnEffort search = {lesser(effort->columns, work), effort->steps, effort->steps_most};
    RoundingEffort rounding = {lesser(effort->rounding, work), lesser(effort->improve, work / 100), effort->steps};
    Columns columns;

    columns_init(&columns, &outline->patterns, &outline->proof);
    columns_improve(&columns, NULL, &search);
    columns_round(&columns, &rounding, &outline->plan);
    columns_free(&columns);
}

void outline_plan(Outline *outline, Effort number) {
    const OutlineEffort *effort = &efforts[number];
    uint32_t greedy = number == EFFORT_BEST ? sizeof bonuses / sizeof *bonuses : 1;

    if (!has_patterns(outline))
        return;
    for (uint32_t i = 0; i < greedy; i++)
        plan_greedily(outline, effort, bonuses[i]);
    if (effort->columns && (outline->plan.items_left || outline->plan.price > outline->proof.value * effort->near))
        plan_by_columns(outline, effort);
}

void outline_prove(Outline *outline, Effort number) {
    const OutlineEffort *effort = &efforts[number];
    FloorEffort search = {lesser(effort->prove, outline->pods * effort->prove_per_pod), effort->prove_steps};

    if (!has_patterns(outline) || (number != EFFORT_BEST && outline->packing.family_count < 2))
        return;
    floor_proof_raise(&outline->proof, &outline->patterns, &search);
}

double outline_floor(const Outline *outline, const Solver *solver) {
    const Packing *packing = &outline->packing;
    Arena scratch = {0};
    uint32_t *counts = arena_array(&scratch, uint32_t, packing->items.count);
    double floor;

    for (uint32_t item = 0; item < packing->items.count; item++) {
        for (vec_each(uint32_t, class, &packing->items.items[item].classes))
            counts[item] += solver->classes.classes.items[*class].placed;
    }
    floor = floor_proof_value(&outline->proof, packing, counts);
    arena_free(&scratch);
    return floor;
}
