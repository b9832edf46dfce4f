// Contents of nodes, plans made of patterns, and the strategy that follows them.
#include "harness/test.h"
#include "sched/bin/claim_price.h"
#include "sched/packing/lp_plan.h"
#include "sched/packing/patterns_place.h"
#include "sched/packing/resource_prices.h"
#include "sched/place/place.h"
#include "sched/prepare.h"
#include "sched/solution.h"
#include "sched/support/small_packing.h"
#include "sched/support/world_plan.h"

#include <math.h>
#include <stdio.h>

enum { ITEMS_MAX = 8 };

// --- contents of one node

typedef struct {
    double bounds; // sum of ratios to the best content
    uint32_t asked, missed;
} Answers;

static double worth_of(const Packing *packing, const double *worth, const uint32_t *counts) {
    double sum = 0;

    for (uint32_t i = 0; i < packing->items.count; i++)
        sum += worth[i] * counts[i];
    return sum;
}

// Solves the knapsack of every kind with so many steps: contents must fit, and bounds must hold.
static void check_contents(uint64_t seed, uint32_t steps, Answers *sum) {
    Arena arena = {0};
    Random random;
    Packing packing;
    Knapsack knapsack;
    double worth[ITEMS_MAX];

    random_seed(&random, seed);
    small_packing_draw(&packing, &arena, &random);
    packing_finish(&packing);
    knapsack_init(&knapsack, &arena, &packing);
    for (uint32_t i = 0; i < packing.items.count; i++)
        worth[i] = random_below(&random, 100) / 10.0;
    for (uint32_t kind = 0; kind < packing.kinds.count; kind++) {
        double best = small_packing_best_content(&packing, kind, worth), target = random_below(&random, 20);
        KnapsackQuestion question = {.worth = worth, .target = target, .steps = steps, .polish = true};
        uint32_t counts[ITEMS_MAX];
        KnapsackAnswer answer = knapsack_solve(&knapsack, kind, &question, counts);

        if (answer.bound < best * (1 - 1e-9) && best > target)
            fail_msg("seed %llu: %g is no bound of %g", (unsigned long long)seed, answer.bound, best);
        assert_true(answer.bound <= fmax(target, best) + 1e-6 || steps < 1000);
        assert_true(small_packing_fits(&packing, kind, counts));
        assert_true(fabs(worth_of(&packing, worth, counts) - answer.value) < 1e-9);
        assert_true(answer.value == 0 || answer.value > target);
        sum->asked += best > target;
        sum->missed += best > target && answer.value < best * (1 - 1e-9);
        sum->bounds += best > target ? answer.bound / best : 0;
    }
    arena_free(&arena);
}

TEST(the_best_content_is_found_and_proven) {
    Answers sum = {0};

    for (uint64_t seed = 1; seed <= test_random_cases(1500); seed++)
        check_contents(seed, 100000, &sum);
    print_message("%u contents, all the best\n", sum.asked);
    assert_true(sum.asked > test_random_cases(1500));
    assert_int_equal(sum.missed, 0);
}

// With very few steps of branching the bound is loose but valid, and rounding finds nearly the best content.
TEST(few_steps_give_loose_bounds_and_good_contents) {
    Answers sum = {0};

    for (uint64_t seed = 1; seed <= test_random_cases(1500); seed++)
        check_contents(seed, 1, &sum);
    print_message("%u contents with one step: bounds are %.3f of the best, %u are not the best\n", sum.asked,
                  sum.bounds / sum.asked, sum.missed);
    assert_true(sum.bounds / sum.asked < 1.3);
    assert_true(sum.missed < sum.asked / 10);
}

// With `left`, no more of an item is taken than is left.
TEST(no_more_is_taken_than_is_left) {
    for (uint64_t seed = 1; seed <= test_random_cases(300); seed++) {
        Arena arena = {0};
        Random random;
        Packing packing;
        Knapsack knapsack;
        double worth[ITEMS_MAX];
        uint32_t left[ITEMS_MAX], counts[ITEMS_MAX];

        random_seed(&random, seed);
        small_packing_draw(&packing, &arena, &random);
        packing_finish(&packing);
        knapsack_init(&knapsack, &arena, &packing);
        for (uint32_t i = 0; i < packing.items.count; i++) {
            worth[i] = 1 + random_below(&random, 9);
            left[i] = random_below(&random, 2);
        }
        for (uint32_t kind = 0; kind < packing.kinds.count; kind++) {
            KnapsackQuestion question = {.worth = worth, .steps = 1000, .polish = true, .left = left};

            (void)knapsack_solve(&knapsack, kind, &question, counts);
            for (uint32_t i = 0; i < packing.items.count; i++)
                assert_true(counts[i] <= left[i]);
        }
        arena_free(&arena);
    }
}

// --- plans

// The content of each node fits, supplies are not exceeded, and every item is used exactly as often as it has pods.
static void assert_plan_holds(const Patterns *patterns, const PatternPlan *plan) {
    const Packing *packing = patterns->packing;
    uint32_t held[ITEMS_MAX] = {0}, used[ITEMS_MAX] = {0};
    double price = 0;

    for (uint32_t i = 0; i < plan->uses.count; i++) {
        const PatternUse *use = &plan->uses.items[i];
        const Pattern *pattern = &patterns->patterns.items[use->pattern];
        const PackKind *kind = &packing->kinds.items[pattern->kind];
        uint32_t counts[ITEMS_MAX] = {0};

        for (uint32_t j = 0; j < pattern->part_count; j++) {
            counts[pattern->parts[j].item] = pattern->parts[j].count;
            held[pattern->parts[j].item] += pattern->parts[j].count * use->times;
        }
        assert_true(small_packing_fits(packing, pattern->kind, counts));
        if (kind->supply != INDEX_NONE)
            used[kind->supply] += use->times;
        price += kind->price * use->times;
    }
    for (uint32_t i = 0; i < packing->items.count; i++)
        assert_int_equal(held[i], packing->items.items[i].count);
    for (uint32_t i = 0; i < packing->supplies.count; i++)
        assert_true(used[i] <= packing->supplies.items[i]);
    assert_true(fabs(price - plan->price) < 1e-9);
}

// Greedily, then by columns and rounding; returns the prices.
static void make_plans(uint64_t seed, double *ret_greedy, double *ret_rounded, double *ret_optimum) {
    Arena arena = {0};
    Random random;
    Packing packing;
    Patterns patterns;
    FloorProof proof;
    Columns columns;
    PatternPlan plan;
    double prices[ITEMS_MAX], worth[ITEMS_MAX], bounds[ITEMS_MAX];

    random_seed(&random, seed);
    small_packing_draw(&packing, &arena, &random);
    *ret_optimum = small_packing_optimum(&packing);
    packing_finish(&packing);
    floor_proof_init(&proof, &arena, &packing);
    assert_true(resource_prices(&packing, prices, worth, bounds));
    floor_proof_offer(&proof, &packing, worth, bounds);
    patterns_init(&patterns, &arena, &packing);
    pattern_plan_start(&patterns, &plan);
    pattern_plan_fill(&patterns, &plan,
                      &(GreedyRule){.worth = proof.worth, .size_bonus = 2, .steps = 100, .work = 10000000});
    assert_int_equal(plan.items_left, 0);
    assert_plan_holds(&patterns, &plan);
    *ret_greedy = plan.price;
    columns_init(&columns, &patterns, &proof);
    columns_improve(&columns, NULL, &(ColumnEffort){1000000, 100, 1000});
    columns_round(&columns, &(RoundingEffort){1000000, 100000, 100}, &plan);
    columns_free(&columns);
    assert_int_equal(plan.items_left, 0);
    assert_plan_holds(&patterns, &plan);
    *ret_rounded = plan.price;
    arena_free(&arena);
}

TEST(plans_of_patterns_hold_everything_and_cost_little_more_than_needed) {
    double greedy_sum = 0, rounded_sum = 0;
    uint32_t count = 0;

    for (uint64_t seed = 1; seed <= 500; seed++) {
        double greedy, rounded, optimum;

        make_plans(seed, &greedy, &rounded, &optimum);
        assert_true(rounded <= greedy);
        assert_true(rounded >= optimum - 1e-9);
        if (optimum <= 0)
            continue;
        greedy_sum += greedy / optimum;
        rounded_sum += rounded / optimum;
        count++;
    }
    print_message("%u packings of 1 to 6 pods: greedy plans cost %.3f of the optimum, rounded ones %.3f\n", count,
                  greedy_sum / count, rounded_sum / count);
    assert_true(count > 400);
    assert_true(greedy_sum / count < 1.2);
    assert_true(rounded_sum / count < 1.1);
}

// --- from clusters

typedef struct {
    World *world;
    Arena arena;
    Solver solver;
    LpPlan lp_plan;
} Prepared;

static void prepare(Prepared *p, World *world) {
    *p = (Prepared){.world = world};
    world_plan(world);
    solver_init(&p->solver, &p->arena, world_input(world));
    p->solver.strategy = STRATEGY_MARGINAL_PRICE;
    lp_plan_make(&p->lp_plan, &p->arena, &p->solver, NULL);
}

static void free_prepared(Prepared *p) {
    solutions_free(&p->solver);
    arena_free(&p->arena);
}

static const PackItem *item_of_size(const Packing *packing, int64_t cpu_milli) {
    for (vec_each(PackItem, item, &packing->items)) {
        if (item->size[0] == cpu_milli)
            return item;
    }
    fail_msg("no item of %lld milli-CPU", (long long)cpu_milli);
    return NULL;
}

TEST_F(World, world, pods_alike_in_size_are_one_item) {
    Prepared p;

    world_pool(world, .name = "default");
    world_pods(world, .name = "web", .count = 3, .labels = "app: web", .requests = "cpu: 1, memory: 1Gi");
    world_pods(world, .name = "job", .count = 2, .labels = "app: job", .requests = "cpu: 1, memory: 1Gi",
               .spec = SPREAD(SKEW(ZONE, 1, "app: job", "")));
    world_pods(world, .name = "big", .requests = "cpu: 3, memory: 1Gi");
    prepare(&p, world);
    assert_int_equal(p.lp_plan.packing.items.count, 2);
    assert_int_equal(item_of_size(&p.lp_plan.packing, 1000)->count, 5);
    assert_int_equal(item_of_size(&p.lp_plan.packing, 3000)->count, 1);
    free_prepared(&p);
}

// Spot costs 60 % in all zones, so there is one kind per type at the spot price; arm costs more than huge but has more
// memory.
TEST_F(World, world, kinds_are_types_at_their_lowest_price) {
    Prepared p;

    world_pool(world, .name = "default");
    world_pods(world, .name = "web", .count = 50, .requests = "cpu: 1, memory: 4Gi");
    prepare(&p, world);
    assert_int_equal(p.lp_plan.packing.kinds.count, 5);
    assert_true(fabs(p.lp_plan.packing.kinds.items[0].price - 0.06) < 1e-9);
    assert_true(fabs(p.lp_plan.packing.kinds.items[4].price - 0.54) < 1e-9);
    free_prepared(&p);
}

// For pods that require on-demand the kinds have the on-demand price.
TEST_F(World, world, kinds_differ_for_pods_that_require_on_demand) {
    Prepared p;

    world_pool(world, .name = "default");
    world_pods(world, .name = "any", .requests = "cpu: 1");
    world_pods(world, .name = "safe", .requests = "cpu: 7", .spec = SELECT(CAPACITY_TYPE ": on-demand"));
    prepare(&p, world);
    assert_int_equal(p.lp_plan.packing.family_count, 2);
    lp_plan_prove(&p.lp_plan, EFFORT_BEST);
    assert_true(p.lp_plan.proof.value > 0.3999 && p.lp_plan.proof.value <= 0.4);
    free_prepared(&p);
}

TEST_F(World, world, pods_that_fit_nowhere_are_no_items) {
    Prepared p;

    world_pool(world, .name = "default");
    world_pods(world, .name = "web", .requests = "cpu: 1");
    world_pods(world, .name = "giant", .requests = "cpu: 100");
    prepare(&p, world);
    assert_int_equal(p.lp_plan.packing.items.count, 1);
    assert_true(p.lp_plan.proof.value <= 0.06);
    free_prepared(&p);
}

TEST_F(World, world, existing_nodes_are_free_and_few) {
    Prepared p;
    double floor;

    world_pool(world, .name = "default");
    world_node(world, .name = "node-1", .allocatable = "cpu: 2, memory: 8Gi, pods: 10");
    world_node(world, .name = "node-2", .allocatable = "cpu: 2, memory: 8Gi, pods: 10");
    world_pods(world, .name = "bound", .requests = "cpu: 1", .node = "node-2");
    world_pods(world, .name = "web", .count = 7, .requests = "cpu: 1");
    prepare(&p, world);
    assert_int_equal(p.lp_plan.packing.supplies.count, 2);
    lp_plan_plan(&p.lp_plan, EFFORT_BEST);
    lp_plan_prove(&p.lp_plan, EFFORT_BEST);
    solver_place(&p.solver);
    floor = lp_plan_floor(&p.lp_plan, &p.solver);
    // 3 of 7 go to nodes; 4 CPUs on spot are two small nodes or one medium one.
    assert_true(floor <= 0.12 + 1e-9 && floor > 0.1199);
    assert_true(fabs(p.lp_plan.plan.price - 0.12) < 1e-9);
    free_prepared(&p);
}

// The floor before and after placing is the same: what the plan put on nodes counts as free.
TEST_F(World, world, the_plan_of_patterns_does_not_depend_on_placed_pods) {
    Prepared before;
    LpPlan after;

    world_pool(world, .name = "default");
    world_node(world, .name = "node-1", .allocatable = "cpu: 4, memory: 8Gi, pods: 10");
    world_pods(world, .name = "web", .count = 20, .requests = "cpu: 1500m, memory: 1Gi", .labels = "app: web",
               .spec = AFFINITY(APART(PODS(HOST, "app: web", ""))));
    world_pods(world, .name = "port", .count = 3, .requests = "cpu: 100m");
    prepare(&before, world);
    solver_place(&before.solver);
    lp_plan_make(&after, &before.arena, &before.solver, NULL);
    assert_true(before.lp_plan.proof.value == after.proof.value);
    assert_true(after.proof.value > 0);
    free_prepared(&before);
}

// Each of 600 pods has a team of its own: more signatures than SIGNATURES_MAX.
TEST_F(World, world, very_many_selectors_still_have_a_floor) {
    Arena texts = {0};
    Prepared p;

    world_pool(world, .name = "default", .requirements = EXISTS("team"));
    for (int i = 0; i < 600; i++) {
        world_pods(world, .name = arena_text(&texts, arena_printf(&texts, "web-%d", i)), .requests = "cpu: 1",
                   .spec = arena_text(&texts, arena_printf(&texts, "nodeSelector: {team: t%d}", i)));
    }
    prepare(&p, world);
    solver_place(&p.solver);
    // Each pod needs a node of its own, but the floor assumes that those of the last signature may share nodes.
    assert_true(lp_plan_floor(&p.lp_plan, &p.solver) > 17.99);
    assert_true(lp_plan_floor(&p.lp_plan, &p.solver) <= 600 * 0.06);
    free_prepared(&p);
    arena_free(&texts);
}

static uint32_t pods_on(const Bin *bin) {
    uint32_t count = 0;

    for (vec_each(BinPods, pods, &bin->pods))
        count += pods->count;
    return count;
}

TEST_F(World, world, the_strategy_places_everything_by_the_rules) {
    Prepared p;
    uint32_t placed = 0;
    double price = 0;

    world_daemon(world, "agent", "cpu: 200m, memory: 256Mi", NULL);
    world_pool(world, .name = "default");
    world_node(world, .name = "node-1", .allocatable = "cpu: 4, memory: 8Gi, pods: 10");
    world_pods(world, .name = "apart", .count = 30, .labels = "app: apart", .requests = "cpu: 500m, memory: 512Mi",
               .spec = AFFINITY(APART(PODS(HOST, "app: apart", ""))));
    world_pods(world, .name = "web", .count = 60, .labels = "app: web", .requests = "cpu: 700m, memory: 1Gi",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", "")));
    world_pods(world, .name = "job", .count = 40, .requests = "cpu: 1300m, memory: 700Mi");
    prepare(&p, world);
    lp_plan_plan(&p.lp_plan, EFFORT_NORMAL);
    assert_true(p.lp_plan.plan.uses.count > 0);
    solver_place_patterns(&p.solver, &p.lp_plan);
    assert_true(pods_on(&p.solver.bins.items[0]) >= 3); // existing nodes come first
    for (uint32_t i = 0; i < p.solver.bins.count; i++)
        placed += pods_on(&p.solver.bins.items[i]);
    assert_true(placed > 100); // the patterns place most of them
    solver_place(&p.solver);
    for (vec_each(PodClass, class, &p.solver.classes.classes))
        assert_int_equal(class->placed, class->count);
    for (uint32_t i = 0; i < p.solver.bins.count; i++) {
        uint32_t apart = 0;

        for (vec_each(BinPods, pods, &p.solver.bins.items[i].pods)) {
            if (p.solver.classes.classes.items[pods->class].inverse.count)
                apart += pods->count;
        }
        assert_true(apart <= 1);
        if (p.solver.bins.items[i].pool)
            price += claim_price(&p.solver, &p.solver.bins.items[i], p.solver.bins.items[i].rows, NULL, NULL);
    }
    assert_true(price >= lp_plan_floor(&p.lp_plan, &p.solver));
    free_prepared(&p);
}

TEST_F(World, world, equal_input_gives_equal_plans) {
    Prepared a, b;

    world_pool(world, .name = "default");
    world_pods(world, .name = "web", .count = 90, .requests = "cpu: 700m, memory: 1Gi");
    world_pods(world, .name = "job", .count = 70, .requests = "cpu: 1300m, memory: 700Mi");
    world_pods(world, .name = "big", .count = 11, .requests = "cpu: 3, memory: 9Gi");
    prepare(&a, world);
    prepare(&b, world);
    lp_plan_plan(&a.lp_plan, EFFORT_BEST);
    lp_plan_plan(&b.lp_plan, EFFORT_BEST);
    lp_plan_prove(&a.lp_plan, EFFORT_BEST);
    lp_plan_prove(&b.lp_plan, EFFORT_BEST);
    assert_true(a.lp_plan.plan.price == b.lp_plan.plan.price);
    assert_true(a.lp_plan.proof.value == b.lp_plan.proof.value);
    assert_int_equal(a.lp_plan.patterns.patterns.count, b.lp_plan.patterns.patterns.count);
    assert_int_equal(a.lp_plan.plan.uses.count, b.lp_plan.plan.uses.count);
    assert_memory_equal(a.lp_plan.plan.uses.items, b.lp_plan.plan.uses.items,
                        a.lp_plan.plan.uses.count * sizeof(PatternUse));
    free_prepared(&a);
    free_prepared(&b);
}
