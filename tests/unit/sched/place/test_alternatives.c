// Terms of required node affinity: any of them is sufficient, so the price decides.
#include "harness/test.h"
#include "sched/support/trial.h"
#include "sched/support/world_plan.h"

#define EITHER(terms) AFFINITY(NODE(terms))

TEST_F(World, w, a_later_term_is_taken_when_it_is_cheaper) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = EITHER(TERM(IN(CAPACITY_TYPE, "on-demand")) ", " TERM(IN(INSTANCE_TYPE, "small"))));

    world_plan(w);

    assert_choice(w, 0, "small a spot");
}

TEST_F(World, w, every_strategy_takes_the_cheapest_term) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 1500m",
               .spec = EITHER(TERM(IN(CAPACITY_TYPE, "on-demand")) ", " TERM(IN(INSTANCE_TYPE, "small"))));

    world_plan(w);

    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        assert_float_equal(world_strategy(w, strategy).price_per_hour, 0.18, 1e-9);
}

// Without its reservation the later term costs most.
TEST_F(World, w, a_term_is_worth_the_reservation_that_it_leads_to) {
    world_type(w, .name = "booked", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .zones = "");
    world_offering(w, .type = "booked", .zone = "a", .price = 0.5);
    world_offering(w, .type = "booked", .zone = "a", .capacity_type = "reserved", .price = 0, .reservation = "cr-1",
                   .count = 1);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = EITHER(TERM(IN(INSTANCE_TYPE, "small")) ", " TERM(IN(INSTANCE_TYPE, "booked"))));

    world_plan(w);

    assert_float_equal(world_strategy(w, STRATEGY_MARGINAL_PRICE).price_per_hour, 0, 1e-9);
}

TEST_F(World, w, pods_of_a_class_may_take_different_terms) {
    world_node(w, .name = "node-a", .labels = "disk: fast", .allocatable = "cpu: 2, memory: 8Gi, pods: 110");
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 1",
               .spec = EITHER(TERM(IN(INSTANCE_TYPE, "small")) ", " TERM(IN("disk", "fast"))));

    world_plan(w);

    assert_pods_on(w, "node-a", "web-0 web-1");
    assert_choice(w, 0, "small a spot");
}

TEST_F(World, w, a_heavier_pool_comes_before_a_cheaper_term) {
    world_pool(w, .name = "light");
    world_pool(w, .name = "heavy", .labels = "team: red", .requirements = IN(CAPACITY_TYPE, "on-demand"),
               .spec = "weight: 10");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = EITHER(TERM(IN(CAPACITY_TYPE, "spot")) ", " TERM(IN("team", "red"))));

    world_plan(w);

    assert_pool(w, 0, "heavy");
}

TEST_F(World, w, preferences_come_before_the_price_of_terms) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = AFFINITY(NODE_BOTH(TERM(IN(CAPACITY_TYPE, "on-demand")) ", " TERM(IN(INSTANCE_TYPE, "small")),
                                          PREFER_TERM(1, IN(INSTANCE_TYPE, "large")))));

    world_plan(w);

    assert_choice(w, 0, "large a on-demand");
}

TEST_F(World, w, more_terms_than_are_compared_at_once_are_all_tried) {
    world_pool(w, .name = "default");
    world_pods(
        w, .name = "web", .requests = "cpu: 1",
        .spec = EITHER(TERM(IN(ZONE, "x1")) ", " TERM(IN(ZONE, "x2")) ", " TERM(IN(ZONE, "x3")) ", " TERM(IN(
            ZONE,
            "x4")) ", " TERM(IN(ZONE,
                                "x5")) ", " TERM(IN(ZONE,
                                                    "x6")) ", " TERM(IN(ZONE,
                                                                        "x7")) ", " TERM(IN(ZONE,
                                                                                            "x8")) ", " TERM(IN(ZONE,
                                                                                                                "b"))));

    world_plan(w);

    assert_zones(w, "b=1");
}
