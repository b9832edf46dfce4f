// Choosing bins to rebuild together: each once, only those that may be emptied, with their dependents.
#include "harness/test.h"
#include "sched/place/marginal_state.h"
#include "sched/place/neighbours.h"
#include "sched/support/random_world.h"
#include "sched/support/trial.h"

AFTER_EACH(random_teardown);

typedef struct {
    Trial *trial;
    Rebuild rebuild;
    Neighbours neighbours;
    U32Vec bins;
} Chooser;

static void begin(Chooser *chooser, Trial *trial) {
    *chooser = (Chooser){.trial = trial};
    marginal_renew(&trial->solver);
    rebuild_init(&chooser->rebuild, &trial->solver, NULL);
    neighbours_init(&chooser->neighbours, &chooser->rebuild);
}

static void end(Chooser *chooser) {
    rebuild_free(&chooser->rebuild);
    trial_end(chooser->trial);
}

static void check_choice(const Chooser *chooser) {
    const U32Vec *bins = &chooser->bins;

    assert_true(bins->count > 0);
    for (uint32_t i = 0; i < bins->count; i++) {
        assert_true(rebuild_may_empty(&chooser->trial->solver.bins.items[bins->items[i]]));
        for (uint32_t k = 0; k < i; k++)
            assert_int_not_equal(bins->items[i], bins->items[k]);
    }
}

static void choose_often(World *world, Random *random) {
    Chooser chooser;

    (void)random;
    begin(&chooser, trial_begin(world));
    trial_place(chooser.trial, STRATEGY_MARGINAL_PRICE);
    neighbours_renew(&chooser.neighbours);
    for (int i = 0; i < 50 && chooser.neighbours.open.count; i++) {
        if (neighbours_choose(&chooser.neighbours, &chooser.bins))
            check_choice(&chooser);
    }
    end(&chooser);
}

TEST(a_choice_has_each_bin_once_and_only_such_as_may_be_emptied) {
    each_random_world(40, RANDOM_ALL, choose_often);
}

// Five nodes with a pod each: sometimes all of them are chosen.
TEST_F(World, w, a_small_plan_is_chosen_as_a_whole_too) {
    Chooser chooser;
    uint32_t alone = 0, all = 0;

    world_type(w, .name = "only", .capacity = "cpu: 4, memory: 8Gi, pods: 1", .price = 1);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 5, .requests = "cpu: 3");
    begin(&chooser, trial_begin(w));
    trial_place(chooser.trial, STRATEGY_FIRST_FIT);
    neighbours_renew(&chooser.neighbours);
    assert_int_equal(chooser.neighbours.open.count, 5);
    for (int i = 0; i < 100; i++) {
        assert_true(neighbours_choose(&chooser.neighbours, &chooser.bins));
        alone += chooser.bins.count == 1;
        all += chooser.bins.count == 5;
    }
    assert_true(alone > 0 && all > 0);
    end(&chooser);
}

// A bin with a pod that has affinity to a pod on a chosen bin is chosen too.
TEST_F(World, w, dependents_of_a_bin_are_chosen_with_it) {
    Chooser chooser;
    uint32_t db, web, without = 0;

    world_pool(w, .name = "default");
    world_pods(w, .name = "db", .labels = "app: db", .requests = "cpu: 3");
    world_pods(w, .name = "web", .requests = "cpu: 3", .spec = AFFINITY(NEAR(PODS(ZONE, "app: db", ""))));
    begin(&chooser, trial_begin(w));
    trial_clear(chooser.trial);
    db = trial_open(chooser.trial, "default", "db");
    web = trial_open(chooser.trial, "default", "web");
    neighbours_renew(&chooser.neighbours);
    for (int i = 0; i < 60; i++) {
        bool has_db = false, has_web = false;

        assert_true(neighbours_choose(&chooser.neighbours, &chooser.bins));
        for (vec_each(uint32_t, bin, &chooser.bins)) {
            has_db |= *bin == db;
            has_web |= *bin == web;
        }
        assert_true(has_web || !has_db);
        without += !has_db;
    }
    assert_true(without > 0); // not the other way round
    end(&chooser);
}
