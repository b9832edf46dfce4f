// Deals: what the floor of a small input deals to whole nodes becomes a plan.
#include "harness/test.h"
#include "sched/contents/deal_place.h"
#include "sched/contents/small_floor.h"
#include "sched/support/random_world.h"
#include "sched/support/solver_text.h"

#include <math.h>

AFTER_EACH(random_teardown);

#define ON_DEMAND IN(CAPACITY_TYPE, "on-demand")

// Finds deals for all pods of the trial, and returns the floor.
static double find_deals(Trial *trial, double price, Deals *ret_deals) {
    Solver *solver = &trial->solver;
    uint32_t *placed = arena_array(solver->arena, uint32_t, solver->classes.classes.count);
    SmallFloorQuestion question = {
        .placed = placed,
        .settled = arena_array(solver->arena, bool, solver->topology.groups.count),
        .price = price,
        .steps = 8000000,
        .deals = ret_deals,
    };

    for (uint32_t i = 0; i < solver->classes.classes.count; i++)
        placed[i] = solver->classes.classes.items[i].count;
    trial_clear(trial);
    return small_floor(solver, &question);
}

// Places a deal, and returns its price.
static double price_of(Trial *trial, const Deal *deal, bool as_offered, uint32_t level) {
    uint32_t *levels = arena_array(trial->solver.arena, uint32_t, trial->solver.classes.classes.count);

    for (uint32_t i = 0; i < trial->solver.classes.classes.count; i++)
        levels[i] = level;
    trial_clear(trial);
    deal_place(&trial->solver, deal, as_offered, levels);
    return trial_price(trial);
}

// Asserts that the last deal of the world is a plan of so many pods at that price.
static void assert_deal(World *world, double price, uint32_t pods, bool as_offered) {
    Trial *trial = trial_begin(world);
    Deals deals = {0};
    double found;

    find_deals(trial, 100, &deals);
    assert_true(deals.count > 0);
    found = price_of(trial, &deals.items[(deals.count - 1) % DEALS_MAX], as_offered, 0);
    if (fabs(found - price) > 1e-6 || trial_placed(trial) != pods)
        fail_msg("%u pods for $%.6f, expected %u for $%.6f", trial_placed(trial), found, pods, price);
    deals_free(&deals);
    trial_end(trial);
}

// --- plans

// Three pods of 1.2 CPUs and three of 700m: pairs on nodes of 2 CPUs.
TEST_F(World, w, a_deal_becomes_a_plan_at_its_price) {
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "small") ", " ON_DEMAND);
    world_pods(w, .name = "large", .count = 3, .requests = "cpu: 1200m");
    world_pods(w, .name = "small", .count = 3, .requests = "cpu: 700m");
    assert_deal(w, 0.3, 6, false);
}

TEST_F(World, w, equal_nodes_get_their_contents_each) {
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "small") ", " ON_DEMAND);
    world_node(w, .name = "a", .allocatable = "cpu: 1900m, memory: 4Gi, pods: 10");
    world_node(w, .name = "b", .allocatable = "cpu: 1900m, memory: 4Gi, pods: 10");
    world_pods(w, .name = "web", .count = 4, .requests = "cpu: 900m");
    assert_deal(w, 0, 4, false);
}

// The spread of `web` counts `db` alone: once zone a has both, no `web` may come there.
TEST_F(World, w, pods_with_a_rule_come_before_those_that_it_counts) {
    world_type(w, .name = "t", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .zones = "a", .price = 0.1,
               .capacity_types = "on-demand");
    world_offering(w, .type = "t", .zone = "b", .price = 1, .capacity_type = "on-demand");
    world_pool(w, .name = "default");
    world_pods(w, .name = "db", .count = 2, .labels = "app: db", .requests = "cpu: 1");
    world_pods(w, .name = "web", .labels = "app: web", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, "app: db", "")));
    assert_deal(w, 0.1, 3, false);
}

// A launch takes spot where it may choose, though here it is dearer.
TEST_F(World, w, claims_are_tied_to_offerings_only_on_request) {
    world_type(w, .name = "t", .capacity = "cpu: 2, memory: 4Gi, pods: 10", .zones = "a", .price = 0.1,
               .capacity_types = "on-demand");
    world_offering(w, .type = "t", .zone = "a", .price = 0.3, .capacity_type = "spot");
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1");
    assert_deal(w, 0.3, 1, false);
    assert_deal(w, 0.1, 1, true);
}

// --- preferences

// Only a pod that ignores the taint may open the claim.
TEST_F(World, w, preferences_are_given_up_only_where_that_is_allowed) {
    Trial *trial;
    Deals deals = {0};

    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "small") ", " ON_DEMAND,
               .template = "taints: [{key: spare, effect: PreferNoSchedule}]");
    world_pods(w, .name = "web", .requests = "cpu: 1");
    trial = trial_begin(w);
    find_deals(trial, 100, &deals);
    assert_int_equal(deals.count, 1);
    assert_true(price_of(trial, &deals.items[0], false, 0) == 0);
    assert_int_equal(trial_placed(trial), 0);
    assert_true(fabs(price_of(trial, &deals.items[0], false, 1) - 0.1) < 1e-9);
    assert_int_equal(deal_levels(&trial->solver, trial->solver.arena)[trial_class(trial, "web")], 1);
    deals_free(&deals);
    trial_end(trial);
}

// --- lists of deals

TEST(equal_deals_are_kept_once_and_the_oldest_goes) {
    Deals deals = {0};

    for (uint32_t i = 0; i < DEALS_MAX + 2; i++) {
        deals_begin(&deals)->hash = i / 2;
        deals_end(&deals);
    }
    assert_int_equal(deals.count, DEALS_MAX / 2 + 1);
    for (uint32_t i = 0; i < DEALS_MAX; i++) {
        deals_begin(&deals)->hash = 1000 + i;
        deals_end(&deals);
    }
    for (uint32_t i = 0; i < DEALS_MAX; i++)
        assert_true(deals.items[i].hash >= 1000);
    deals_free(&deals);
}

// --- random worlds

// Whatever a deal is, its plan keeps the counts right and is not below the floor of its pods.
static void place_deals(World *world, Random *random) {
    Trial *trial = trial_begin(world);
    Deals deals = {0};
    double floor = find_deals(trial, 100, &deals);

    (void)random;
    for (uint32_t i = 0; i < deals.count && i < DEALS_MAX; i++) {
        double price = price_of(trial, &deals.items[i], i % 2, i % 3);

        assert_counts_add_up(trial);
        assert_true(trial_placed(trial) < trial->solver.pod_count || price > floor - 1e-9);
    }
    deals_free(&deals);
    trial_end(trial);
}

TEST(plans_of_deals_keep_all_rules) {
    each_random_world(200, RANDOM_ALL, place_deals);
    each_random_world(100, RANDOM_ALL & ~RANDOM_LIMITS, place_deals);
}
