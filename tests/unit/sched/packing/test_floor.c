// Floors against exact optima found by exhaustive search.
#include "harness/test.h"
#include "sched/contents/column_floor.h"
#include "sched/packing/floor_search.h"
#include "sched/packing/lp_plan.h"
#include "sched/packing/resource_prices.h"
#include "sched/packing/split_prices.h"
#include "sched/place/place.h"
#include "sched/prepare.h"
#include "sched/solver.h"
#include "sched/support/floor_of.h"
#include "sched/support/small_packing.h"
#include "sched/support/world_plan.h"

#include <math.h>
#include <stdio.h>

static void assert_not_above(double floor, double optimum, uint64_t seed, const char *what) {
    if (floor > optimum)
        fail_msg("seed %llu: the floor by %s is %.15g, but %.15g is enough", (unsigned long long)seed, what, floor,
                 optimum);
}

// --- packings

// Removes some pods from the packing; `counts`: the pods that are left.
static void draw_fewer(Packing *packing, Random *random, uint32_t *counts) {
    for (uint32_t i = 0; i < packing->items.count; i++)
        counts[i] = random_below(random, packing->items.items[i].count + 1);
}

static double optimum_of(Packing *packing, const uint32_t *counts) {
    uint32_t all[8];
    double optimum;

    for (uint32_t i = 0; i < packing->items.count; i++) {
        all[i] = packing->items.items[i].count;
        packing->items.items[i].count = counts[i];
    }
    optimum = small_packing_optimum(packing);
    for (uint32_t i = 0; i < packing->items.count; i++)
        packing->items.items[i].count = all[i];
    return optimum;
}

typedef struct {
    double by_resources, by_splits, by_contents; // sums of shares of the optimum
    uint32_t count;                              // of packings with an optimum above 0
} Tightness;

static double bound_content(void *context, uint32_t kind, const double *worth) {
    Patterns *patterns = context;
    KnapsackQuestion question = {.worth = worth};

    return knapsack_solve(&patterns->knapsack, kind, &question, patterns->counts).bound;
}

static void check_packing(uint64_t seed, Tightness *sum) {
    Arena arena = {0};
    Random random;
    Packing packing;
    Patterns patterns;
    FloorProof proof;
    double prices[8], worth[8], bounds[8], dearness[8], optimum, by_resources, by_splits;
    uint32_t fewer[8];

    random_seed(&random, seed);
    small_packing_draw(&packing, &arena, &random);
    optimum = small_packing_optimum(&packing);
    packing_finish(&packing);
    floor_proof_init(&proof, &arena, &packing);
    assert_true(resource_prices(&packing, prices, worth, bounds));
    floor_proof_offer(&proof, &packing, worth, bounds);
    by_resources = proof.value;
    assert_not_above(by_resources, optimum, seed, "resources");
    patterns_init(&patterns, &arena, &packing);
    split_prices_raise(&proof, &packing, prices, 1000000, bound_content, &patterns, dearness);
    by_splits = proof.value;
    assert_not_above(by_splits, optimum, seed, "splits");
    floor_proof_raise(&proof, &patterns, &(FloorEffort){.work = 10000000, .steps_most = 100000});
    assert_not_above(proof.value, optimum, seed, "contents");
    assert_true(by_splits >= by_resources && proof.value >= by_splits);
    draw_fewer(&packing, &random, fewer);
    assert_not_above(floor_proof_value(&proof, &packing, fewer), optimum_of(&packing, fewer), seed, "part of the pods");
    if (optimum > 0) {
        sum->by_resources += by_resources / optimum;
        sum->by_splits += by_splits / optimum;
        sum->by_contents += proof.value / optimum;
        sum->count++;
    }
    arena_free(&arena);
}

TEST(the_floor_of_small_packings_is_never_above_the_optimum) {
    Tightness sum = {0};

    for (uint64_t seed = 1; seed <= test_random_cases(800); seed++)
        check_packing(seed, &sum);
    print_message("%u packings of 1 to 6 pods: by resources %.3f of the optimum, by splits %.3f, by contents %.3f\n",
                  sum.count, sum.by_resources / sum.count, sum.by_splits / sum.count, sum.by_contents / sum.count);
    assert_true(sum.count > test_random_cases(600));
    assert_true(sum.by_resources / sum.count > 0.5);
    assert_true(sum.by_splits / sum.count > 0.8);
    assert_true(sum.by_contents / sum.count > 0.9);
}

// 1,000 pods of 3 CPUs on nodes of 4 CPUs need 1,000 nodes, though 750 have enough CPUs.
TEST(whole_pods_are_counted) {
    Arena arena = {0};
    int64_t size = 3000, room = 4000;
    uint64_t families = 1;
    Packing packing = {.arena = &arena, .dims = 1, .resources = 1, .family_count = 1};
    Patterns patterns;
    FloorProof proof;
    double price, worth, bound;

    vec_push(&arena, &packing.items, (PackItem){.size = &size, .count = 1000});
    vec_push(&arena, &packing.kinds,
             (PackKind){.price = 2, .room = &room, .supply = INDEX_NONE, .families = &families});
    packing_finish(&packing);
    floor_proof_init(&proof, &arena, &packing);
    assert_true(resource_prices(&packing, &price, &worth, &bound));
    floor_proof_offer(&proof, &packing, &worth, &bound);
    assert_true(fabs(proof.value - 1500) < 0.001);
    patterns_init(&patterns, &arena, &packing);
    floor_proof_raise(&proof, &patterns, &(FloorEffort){.work = 1000000, .steps_most = 1000});
    assert_true(proof.value <= 2000 && proof.value > 1999.9);
    arena_free(&arena);
}

// --- clusters

// The same cluster as manifests for the planner and as a packing.
typedef struct {
    World *world;
    Arena *arena;
    Random random;
    Packing packing; // cpu, memory (Mi), pods, pods of "apart", pods of "spread"
    int64_t daemon[2];
    int skew;
} Twin;

enum { DIMS = 5 };

// A formatted text that lives as long as the twin.
#define text(twin, ...) arena_text((twin)->arena, arena_printf((twin)->arena, __VA_ARGS__))

static int64_t draw(Twin *twin, uint32_t low, uint32_t high) {
    return low + random_below(&twin->random, high - low + 1);
}

static void twin_kind(Twin *twin, double price, int64_t cpu, int64_t memory, int64_t pods, bool exists) {
    int64_t room[DIMS] = {cpu - twin->daemon[0], memory - twin->daemon[1], pods - (twin->daemon[0] ? 1 : 0), 1,
                          twin->skew};
    static uint64_t families = 1;
    PackKind kind = {.price = price, .supply = INDEX_NONE, .families = &families};

    kind.room = arena_copy(twin->arena, room, sizeof room);
    if (exists) {
        kind.supply = twin->packing.supplies.count;
        vec_push(twin->arena, &twin->packing.supplies, 1);
    }
    vec_push(twin->arena, &twin->packing.kinds, kind);
}

static void twin_type(Twin *twin, int number) {
    // The first holds any pod.
    int64_t cpus = draw(twin, number ? 1 : 4, 8), memory = cpus * draw(twin, number ? 1 : 2, 8),
            pods = draw(twin, 2, 6);
    double price = (double)draw(twin, 80, 120) / 1000 * (double)cpus + 0.01 * (double)memory;

    world_type(twin->world, .name = text(twin, "type-%d", number),
               .capacity = text(twin, "cpu: %d, memory: %dGi, pods: %d", (int)cpus, (int)memory, (int)pods),
               .capacity_types = "on-demand", .price = price);
    twin_kind(twin, price, cpus * 1000, memory * 1024, pods, false);
}

static void twin_node(Twin *twin, int number) {
    int64_t cpu = draw(twin, 5, 40) * 100, memory = draw(twin, 4, 32) * 256, pods = draw(twin, 2, 4);

    world_node(twin->world, .name = text(twin, "node-%d", number),
               .allocatable = text(twin, "cpu: %dm, memory: %dMi, pods: %d", (int)cpu, (int)memory, (int)pods));
    twin_kind(twin, 0, cpu, memory, pods, true);
}

static void twin_pods(Twin *twin, int number, uint32_t count) {
    static const char *const rules[] = {NULL, APART(PODS(HOST, "app: apart", "")), "spread"};
    static const char *const labels[] = {"app: free", "app: apart", "app: spread"};
    uint32_t rule = random_below(&twin->random, 3);
    int64_t size[DIMS] = {draw(twin, 2, 30) * 100, draw(twin, 1, 20) * 256, 1, rule == 1, rule == 2};
    const char *spec = rule == 2
                           ? text(twin,
                                  "topologySpreadConstraints: [{topologyKey: " HOST ", maxSkew: %d, "
                                  "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: spread}}}]",
                                  twin->skew)
                       : rules[rule] ? text(twin, "affinity: {%s}", rules[rule])
                                     : NULL;
    PackItem item = {.size = arena_copy(twin->arena, size, sizeof size), .count = count};

    vec_push(twin->arena, &twin->packing.items, item);
    world_pods(twin->world, .name = text(twin, "web-%d", number), .count = (int)count, .labels = labels[rule],
               .requests = text(twin, "cpu: %dm, memory: %dMi", (int)size[0], (int)size[1]), .spec = spec);
}

static void twin_draw(Twin *twin) {
    uint32_t pods = 1 + random_below(&twin->random, 6);
    int types = (int)draw(twin, 1, 4), nodes = (int)random_below(&twin->random, 3);

    twin->packing = (Packing){.arena = twin->arena, .dims = DIMS, .resources = 3, .family_count = 1};
    twin->skew = (int)draw(twin, 1, 2);
    if (random_chance(&twin->random, 50)) {
        twin->daemon[0] = draw(twin, 1, 6) * 100;
        twin->daemon[1] = draw(twin, 1, 4) * 128;
        world_daemon(twin->world, "agent",
                     text(twin, "cpu: %dm, memory: %dMi", (int)twin->daemon[0], (int)twin->daemon[1]), NULL);
    }
    world_pool(twin->world, .name = "default");
    for (int i = 0; i < types; i++)
        twin_type(twin, i);
    for (int i = 0; i < nodes; i++)
        twin_node(twin, i);
    for (int i = 0; pods; i++) {
        uint32_t count = 1 + random_below(&twin->random, pods < 3 ? pods : 3);

        twin_pods(twin, i, count);
        pods -= count;
    }
}

// The floor of the pods that the last plan placed, by linear programs alone.
static double prove(World *world) {
    Arena arena = {0};
    Solver solver;
    LpPlan lp_plan;
    double floor;

    solver_init(&solver, &arena, world_input(world));
    lp_plan_make(&lp_plan, &arena, &solver, NULL);
    lp_plan_plan(&lp_plan, EFFORT_NORMAL);
    lp_plan_prove(&lp_plan, EFFORT_BEST);
    solver_place(&solver);
    floor = lp_plan_floor(&lp_plan, &solver);
    arena_free(&arena);
    return floor;
}

// Sums of shares of the optimum, of clusters where that is above 0.
typedef struct {
    double by_programs, by_columns, by_all; // by_all: whole contents of nodes too
    uint32_t count;
} ClusterTightness;

static void check_cluster(uint64_t seed, ClusterTightness *sum) {
    Arena arena = {0};
    Twin twin = {.arena = &arena, .world = world_setup()};
    double optimum, floor, columns;
    const Plan *plan;

    random_seed(&twin.random, seed);
    twin_draw(&twin);
    columns = floor_of_pending(twin.world, column_floor, false);
    plan = world_plan(twin.world);
    floor = prove(twin.world);
    optimum = small_packing_optimum(&twin.packing);
    assert_int_equal(plan->unplaced.count, 0);
    if (plan->price_per_hour < optimum - 1e-9)
        fail_msg("seed %llu: the plan costs %g, less than the optimum %g", (unsigned long long)seed,
                 plan->price_per_hour, optimum);
    assert_not_above(floor, optimum, seed, "linear programs");
    assert_not_above(columns, optimum + 1e-9, seed, "columns");
    assert_not_above(plan->floor_per_hour, optimum + 1e-9, seed, "the plan");
    if (optimum > 0) {
        sum->by_programs += floor / optimum;
        sum->by_columns += columns / optimum;
        sum->by_all += plan->floor_per_hour / optimum;
        sum->count++;
    }
    world_teardown(twin.world);
    arena_free(&arena);
}

TEST(the_floor_of_small_clusters_is_never_above_the_optimum) {
    ClusterTightness sum = {0};

    for (uint64_t seed = 1; seed <= test_random_cases(250); seed++)
        check_cluster(seed, &sum);
    print_message("%u clusters of 1 to 6 pods: by linear programs %.3f of the optimum, by columns %.3f, by whole "
                  "contents %.3f\n",
                  sum.count, sum.by_programs / sum.count, sum.by_columns / sum.count, sum.by_all / sum.count);
    assert_true(sum.count > test_random_cases(180));
    assert_true(sum.by_programs / sum.count > 0.85);
    assert_true(sum.by_columns / sum.count > 0.98);
    assert_true(sum.by_all / sum.count > 0.999);
}

// --- nodes and pools in linear programs

#define ON_DEMAND IN(CAPACITY_TYPE, "on-demand")

// Seventy nodes with different room: more than NODE_KINDS_MAX.
static void many_nodes(World *world, int cpu_milli) {
    static char names[70][16], rooms[70][64];

    for (int i = 0; i < 70; i++) {
        snprintf(names[i], sizeof names[i], "node-%d", i);
        snprintf(rooms[i], sizeof rooms[i], "cpu: %dm, memory: 8Gi, pods: 10", cpu_milli + i);
        world_node(world, .name = names[i], .allocatable = rooms[i]);
    }
    world_pool(world, .name = "default", .requirements = IN(INSTANCE_TYPE, "small") ", " ON_DEMAND);
}

// 59 CPUs are free in total, but no pod fits on any node.
TEST_F(World, world, pieces_that_are_too_small_hold_nothing) {
    many_nodes(world, 810);
    world_pods(world, .name = "web", .count = 70, .requests = "cpu: 900m");
    world_plan(world);
    assert_true(fabs(prove(world) - 35 * 0.1) < 0.001);
}

TEST_F(World, world, pieces_that_are_large_enough_hold_a_pod_each) {
    many_nodes(world, 910);
    world_pods(world, .name = "web", .count = 70, .requests = "cpu: 900m");
    world_pods(world, .name = "big", .requests = "cpu: 2");
    world_plan(world);
    assert_true(fabs(prove(world) - 0.1) < 0.001); // for the pod that fits on no node
}

TEST_F(World, world, a_pool_that_no_pod_may_open_does_not_lower_the_floor) {
    world_pool(world, .name = "dear", .types = "arm", .requirements = ON_DEMAND, .spec = "weight: 10");
    world_pool(world, .name = "cheap", .types = "small", .requirements = ON_DEMAND);
    world_pods(world, .name = "web", .count = 20, .requests = "cpu: 1600m");
    world_plan(world);
    assert_true(prove(world) > 2 * 0.9 - 1e-6); // 32 CPUs would be $1.60 on small nodes, which are not allowed
}

// A claim that a pod opens in the cheap pool may be joined by others.
TEST_F(World, world, a_pool_that_some_pod_opens_is_open_to_all) {
    world_pool(world, .name = "dear", .types = "arm", .requirements = ON_DEMAND, .spec = "weight: 10");
    world_pool(world, .name = "cheap", .types = "small", .requirements = ON_DEMAND);
    world_pods(world, .name = "web", .count = 20, .requests = "cpu: 1");
    world_pods(world, .name = "amd", .count = 20, .requests = "cpu: 1", .spec = SELECT(ARCH ": amd64"));
    world_plan(world);
    assert_true(prove(world) <= 20 * 0.1); // one of each on 20 nodes
}

// The heavier pool's limit may be used up, and then any pod may open a claim of the lighter pool.
TEST_F(World, world, a_heavier_pool_with_limits_promises_nothing) {
    world_pool(world, .name = "dear", .types = "arm", .requirements = ON_DEMAND,
               .spec = "weight: 10, limits: {cpu: 16}");
    world_pool(world, .name = "cheap", .types = "small", .requirements = ON_DEMAND);
    world_pods(world, .name = "web", .count = 20, .requests = "cpu: 2");
    world_plan(world);
    assert_true(prove(world) <= 20 * 0.1);
}
