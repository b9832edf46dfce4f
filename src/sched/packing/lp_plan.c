// The limits of each effort, and the order of the steps.
#include "sched/packing/lp_plan.h"

#include "sched/packing/floor_search.h"
#include "sched/packing/resource_prices.h"
#include "sched/packing/split_prices.h"

#include <math.h>

// The limits of an effort, in elementary operations of about two nanoseconds. Some are per pod, so that small inputs
// take less.
typedef struct {
    uint32_t steps, steps_most;                              // steps of branching per knapsack
    uint64_t greedy, columns, rounding, prove;               // at most
    uint64_t greedy_per_pod, columns_per_pod, prove_per_pod; // at most, per pod
    uint64_t improve;                                        // at each step of rounding
    uint32_t prove_steps;
    bool supplies_only;  // prove only where kinds are in limited supply: elsewhere resources prove nearly as much
    uint32_t prove_pods; // prove only for more pods than this, so that small plans take no longer
    uint32_t items_most; // patterns are made for packings with at most so many items
    double near;         // a greedy plan within this factor of the floor is not improved
} LpEffort;

static const LpEffort efforts[] = {
    [EFFORT_FAST] = {.steps = 100, .greedy = 20000000, .greedy_per_pod = 40000, .items_most = 300},
    [EFFORT_NORMAL] = {.steps = 100,
                       .steps_most = 400,
                       .greedy = 30000000,
                       .columns = 24000000,
                       .greedy_per_pod = 40000,
                       .columns_per_pod = 10000,
                       .rounding = 10000000,
                       .prove = 100000000,
                       .prove_per_pod = 100000,
                       .prove_steps = 2000,
                       .supplies_only = true,
                       .prove_pods = 500,
                       .items_most = 500,
                       .near = 1.02},
    [EFFORT_BEST] = {.steps = 400,
                     .steps_most = 20000,
                     .greedy = 300000000,
                     .columns = 800000000,
                     .greedy_per_pod = 600000,
                     .columns_per_pod = 400000,
                     .rounding = 800000000,
                     .prove = 600000000,
                     .prove_per_pod = 200000,
                     .improve = 4000000,
                     .prove_steps = 100000,
                     .items_most = PACK_ITEMS_MAX,
                     .near = 1},
};

// Bonuses for large items in greedy plans. Small efforts use the first one only.
static const double bonuses[] = {2, 4, 1, 8};

// Work of split prices, for all efforts; and of a brief proof, per pod.
enum { SPLIT_WORK = 6000000, BRIEF_PROVE_PER_POD = 15000 };
static const double TOO_DEAR = 1.02;

// Whether patterns can be made: not for packings with very many sizes.
static bool has_patterns(const LpPlan *lp_plan) {
    return lp_plan->packing.most && lp_plan->packing.items.count;
}

// The bound of a content of a kind in limited supply: the linear relaxation, or, without patterns, all items.
static double bound_content(void *context, uint32_t kind, const double *worth) {
    LpPlan *lp_plan = context;
    KnapsackQuestion question = {.worth = worth};
    double sum = 0;

    if (has_patterns(lp_plan))
        return knapsack_solve(&lp_plan->patterns.knapsack, kind, &question, lp_plan->patterns.counts).bound;
    for (uint32_t item = 0; item < lp_plan->packing.items.count; item++)
        sum += worth[item] * lp_plan->packing.items.items[item].count;
    return sum;
}

// The cheapest kind that holds one of the item.
static uint32_t home_of(const Packing *packing, uint32_t item) {
    uint32_t best = INDEX_NONE;
    double least = INFINITY;

    for (uint32_t kind = 0; kind < packing->kinds.count; kind++) {
        uint32_t most = packing_most(packing, kind)[item];

        if (most && packing->kinds.items[kind].price / most < least) {
            least = packing->kinds.items[kind].price / most;
            best = kind;
        }
    }
    return best;
}

// Drops main kinds whose contents are worth much less than they cost, as no good plan uses them. The cheapest kind of
// each item stays.
static void drop_dear_kinds(LpPlan *lp_plan, const double *dearness) {
    Packing *packing = &lp_plan->packing;
    Arena scratch = {0};
    bool *home = arena_array(&scratch, bool, packing->kinds.count);
    uint32_t kept = 0;

    for (uint32_t item = 0; item < packing->items.count; item++)
        home[home_of(packing, item)] = true;
    for (uint32_t i = 0; i < packing->main_kinds.count; i++) {
        uint32_t kind = packing->main_kinds.items[i];

        if (home[kind] || packing->kinds.items[kind].supply != INDEX_NONE || dearness[kind] <= TOO_DEAR)
            packing->main_kinds.items[kept++] = kind;
    }
    packing->main_kinds.count = kept;
    arena_free(&scratch);
}

// Proves a floor with one price per resource, then with split prices.
static void prove_by_resources(LpPlan *lp_plan, Arena *arena) {
    const Packing *packing = &lp_plan->packing;
    double *prices = arena_array(arena, double, packing->dims),
           *worth = arena_array(arena, double, packing->items.count);
    double *bounds = arena_array(arena, double, packing->kinds.count);
    double *dearness = arena_array(arena, double, packing->kinds.count);

    if (!resource_prices(packing, prices, worth, bounds))
        return;
    floor_proof_offer(&lp_plan->proof, packing, worth, bounds);
    split_prices_raise(&lp_plan->proof, packing, prices, SPLIT_WORK, bound_content, lp_plan, dearness);
    if (has_patterns(lp_plan))
        drop_dear_kinds(lp_plan, dearness);
}

void lp_plan_make(LpPlan *lp_plan, Arena *arena, Solver *solver, const PackPlaced *placed) {
    *lp_plan = (LpPlan){0};
    packing_make(&lp_plan->packing, arena, solver, placed);
    if (placed && !lp_plan->packing.has_shares)
        return;
    for (vec_each(PackItem, item, &lp_plan->packing.items))
        lp_plan->pods += item->count;
    if (has_patterns(lp_plan)) {
        patterns_init(&lp_plan->patterns, arena, &lp_plan->packing);
        pattern_plan_start(&lp_plan->patterns, &lp_plan->plan);
    }
    floor_proof_init(&lp_plan->proof, arena, &lp_plan->packing);
    prove_by_resources(lp_plan, arena);
}

static uint64_t lesser(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static void plan_greedily(LpPlan *lp_plan, const LpEffort *effort, double bonus) {
    GreedyRule rule = {.worth = lp_plan->proof.worth,
                       .size_bonus = bonus,
                       .steps = effort->steps,
                       .work = lesser(effort->greedy, lp_plan->pods * effort->greedy_per_pod)};
    PatternPlan plan;

    pattern_plan_start(&lp_plan->patterns, &plan);
    pattern_plan_fill(&lp_plan->patterns, &plan, &rule);
    if (pattern_plan_is_better(&plan, &lp_plan->plan))
        lp_plan->plan = plan;
}

static void plan_by_columns(LpPlan *lp_plan, const LpEffort *effort) {
    uint64_t work = lp_plan->pods * effort->columns_per_pod;
    ColumnEffort search = {lesser(effort->columns, work), effort->steps, effort->steps_most};
    RoundingEffort rounding = {lesser(effort->rounding, work), lesser(effort->improve, work / 100), effort->steps};
    Columns columns;

    columns_init(&columns, &lp_plan->patterns, &lp_plan->proof);
    columns_improve(&columns, NULL, &search);
    columns_round(&columns, &rounding, &lp_plan->plan);
    columns_free(&columns);
}

void lp_plan_plan(LpPlan *lp_plan, Effort number) {
    const LpEffort *effort = &efforts[number];
    uint32_t greedy = number == EFFORT_BEST ? sizeof bonuses / sizeof *bonuses : 1;

    if (!has_patterns(lp_plan) || lp_plan->packing.items.count > effort->items_most)
        return;
    for (uint32_t i = 0; i < greedy; i++)
        plan_greedily(lp_plan, effort, bonuses[i]);
    if (effort->columns && (lp_plan->plan.items_left || lp_plan->plan.price > lp_plan->proof.value * effort->near))
        plan_by_columns(lp_plan, effort);
}

static void prove(LpPlan *lp_plan, const LpEffort *effort, uint64_t per_pod) {
    FloorEffort search = {lesser(effort->prove, lp_plan->pods * per_pod), effort->prove_steps};

    if (has_patterns(lp_plan) && search.work)
        floor_proof_raise(&lp_plan->proof, &lp_plan->patterns, &search);
}

void lp_plan_prove(LpPlan *lp_plan, Effort number) {
    const LpEffort *effort = &efforts[number];

    if ((effort->supplies_only && !lp_plan->packing.supplies.count) || lp_plan->pods <= effort->prove_pods)
        return;
    prove(lp_plan, effort, effort->prove_per_pod);
}

void lp_plan_prove_briefly(LpPlan *lp_plan) {
    prove(lp_plan, &efforts[EFFORT_BEST], BRIEF_PROVE_PER_POD);
}

double lp_plan_floor(const LpPlan *lp_plan, const Solver *solver) {
    const Packing *packing = &lp_plan->packing;
    Arena scratch = {0};
    uint32_t *counts = arena_array(&scratch, uint32_t, packing->items.count);
    double floor;

    for (uint32_t item = 0; item < packing->items.count; item++) {
        for (vec_each(uint32_t, class, &packing->items.items[item].classes))
            counts[item] += solver->classes.classes.items[*class].placed;
    }
    floor = floor_proof_value(&lp_plan->proof, packing, counts);
    arena_free(&scratch);
    return floor;
}
