// The ways of building a plan beside each other, and which of the plans is taken. plan.h, docs/plan.md "Price".
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sched/support/plan_check.h"
#include "sched/support/random_world.h"
#include "sched/support/trial.h"

// --- each alone -----------------------------------------------------------------------------------------------------

static void all_strategies_place_the_same_pods(World *world, Random *random) {
    (void)random;
    world_plan(world);
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        Plan plan = world_strategy(world, strategy);

        assert_plan_holds(world, &plan);
        assert_int_equal(plan_pods(&plan), world_input(world)->pending.count);
        assert_int_equal(plan.strategy, strategy);
    }
}

static void each_strategy_places_every_pod_where_nothing_is_scarce(void **state) {
    (void)state;
    each_random_world(60, 0, all_strategies_place_the_same_pods);
    each_random_world(60, RANDOM_SELECTORS | RANDOM_NODES | RANDOM_PORTS, all_strategies_place_the_same_pods);
}

static void every_plan_holds(World *world, Random *random) {
    (void)random;
    assert_plan_holds(world, world_plan(world));
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        Plan plan = world_strategy(world, strategy);

        assert_plan_holds(world, &plan);
    }
}

static void each_strategy_keeps_every_rule(void **state) {
    (void)state;
    each_random_world(200, RANDOM_ALL, every_plan_holds);
}

static void equal_input_gives_equal_plans(World *world, Random *random) {
    (void)random;
    world_plan(world);
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        Plan one = world_strategy(world, strategy), other = world_strategy(world, strategy);

        assert_string_equal(plan_text(world, &one), plan_text(world, &other));
    }
}

static void each_strategy_gives_equal_plans_for_equal_input(void **state) {
    (void)state;
    each_random_world(40, RANDOM_ALL, equal_input_gives_equal_plans);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RANDOM_ROW(each_strategy_places_every_pod_where_nothing_is_scarce),
        RANDOM_ROW(each_strategy_keeps_every_rule),
        RANDOM_ROW(each_strategy_gives_equal_plans_for_equal_input),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
