// Limits of NodePools: claims are charged what they are expected to become, and whatever they become in the end, the
// limits hold. Reference scheduling.md 10, row 7.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sched/support/plan_check.h"
#include "sched/support/random_world.h"
#include "sched/support/trial.h"

// --- never too much -------------------------------------------------------------------------------------------------

static void no_plan_may_exceed(World *world, Random *random) {
    (void)random;
    world_plan(world);
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        Plan plan = world_strategy(world, strategy);

        assert_plan_holds(world, &plan);
    }
}

static void limits_hold_whatever_is_launched(void **state) {
    (void)state;
    each_random_world(300, RANDOM_LIMITS, no_plan_may_exceed);
}

static void limits_hold_beside_all_other_rules(void **state) {
    (void)state;
    each_random_world(300, RANDOM_ALL, no_plan_may_exceed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RANDOM_ROW(limits_hold_whatever_is_launched),
        RANDOM_ROW(limits_hold_beside_all_other_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
