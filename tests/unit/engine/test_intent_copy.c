// Copies of intents outlive the turn that they were made in: whatever they point to is theirs.
#include "engine/intent_copy.h"

#include "harness/test.h"

TEST(a_look_at_disruption_keeps_what_pools_asked_for) {
    Arena turn = {0}, job = {0};
    DemandHistory *history = arena_new(&turn, DemandHistory);
    Intent intent = {.type = INTENT_DISRUPT}, copy;

    vec_push(&turn, &history->lines,
             (DemandLine){.pool = 1, .resource = 2, .peaks = {{.amount = 9}, {.amount = 3}}, .count = 2});
    intent.disrupt.options.demand = history;
    copy = intent_copy(&job, &intent);
    arena_free(&turn);
    assert_int_equal(copy.disrupt.options.demand->lines.count, 1);
    assert_int_equal(copy.disrupt.options.demand->lines.items[0].peaks[0].amount, 9);
    assert_int_equal(copy.disrupt.options.demand->lines.items[0].count, 2);
    arena_free(&job);
}

TEST(a_look_that_knows_nothing_of_the_past_still_does_not) {
    Arena job = {0};
    Intent intent = {.type = INTENT_DISRUPT};

    assert_null(intent_copy(&job, &intent).disrupt.options.demand);
    arena_free(&job);
}
