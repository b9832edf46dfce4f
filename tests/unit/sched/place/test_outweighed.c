// Claims of lighter NodePools keep a reason to be there, whatever a rebuild could save.
#include "harness/test.h"
#include "sched/bin/home_pool.h"
#include "sched/place/marginal_state.h"
#include "sched/place/rebuild.h"
#include "sched/support/trial.h"

// Two pods of about 1.5 CPUs: one on an on-demand node of the heavy pool, which has room for no more, one on spot of
// the light one.
static Trial *begin_at_limit(World *w) {
    Trial *trial;

    world_pool(w, .name = "heavy", .requirements = IN(CAPACITY_TYPE, "on-demand"),
               .spec = "weight: 10, limits: {cpu: 2}");
    world_pool(w, .name = "light", .requirements = IN(CAPACITY_TYPE, "spot"));
    world_pods(w, .name = "a", .requests = "cpu: 1500m");
    world_pods(w, .name = "b", .requests = "cpu: 1400m");
    trial = trial_begin(w);
    trial_clear(trial);
    trial_open(trial, "heavy", "a");
    trial_open(trial, "light", "b");
    return trial;
}

// Rebuilds the first claim many times; how often that gained something.
static uint32_t rebuild_first(Trial *trial, const int32_t *home_weight) {
    Rebuild rebuild;
    U32Vec bins = {0};
    uint32_t gains = 0;

    vec_push(&trial->arena, &bins, 0);
    marginal_renew(&trial->solver);
    rebuild_init(&rebuild, &trial->solver, home_weight);
    for (int i = 0; i < 100 && !trial->solver.bins.items[0].gone; i++)
        gains += rebuild_try(&rebuild, &bins);
    rebuild_free(&rebuild);
    return gains;
}

static const int32_t *home_weights(Trial *trial) {
    return class_home_weights(&trial->solver, trial->solver.arena);
}

TEST_F(World, w, a_claim_with_a_pod_that_the_heavy_pool_has_no_room_for_has_its_reason) {
    Trial *trial = begin_at_limit(w);
    Outweighed outweighed;

    outweighed_init(&outweighed, &trial->solver, home_weights(trial));
    assert_int_equal(outweighed.count, 0);
    trial_end(trial);
}

// Both on one spot node cost less, but then the heavy pool has room for either of them.
TEST_F(World, w, limits_of_the_heavy_pool_are_not_freed_for_a_claim_of_the_light_one) {
    Trial *trial = begin_at_limit(w);

    assert_int_equal(rebuild_first(trial, home_weights(trial)), 0);
    assert_true(rebuild_first(trial, NULL) > 0); // it is the weights that forbid it
    trial_end(trial);
}

TEST_F(World, w, pools_of_one_weight_are_not_asked) {
    Trial *trial;

    world_pool(w, .name = "one");
    world_pool(w, .name = "other");
    world_pods(w, .name = "a", .requests = "cpu: 1");
    trial = trial_begin(w);
    assert_null(home_weights(trial));
    trial_end(trial);
}

// Some rebuilds tie new claims to on-demand. A pod that wants spot does not lose the heavy pool by that.
TEST_F(World, w, a_pod_that_wants_spot_stays_with_the_heavy_pool) {
    Trial *trial;

    world_pool(w, .name = "heavy", .types = "medium", .spec = "weight: 10");
    world_pool(w, .name = "light", .types = "small", .requirements = IN(CAPACITY_TYPE, "spot"));
    world_pods(w, .name = "a", .requests = "cpu: 1", .spec = SELECT(CAPACITY_TYPE ": spot"));
    trial = trial_begin(w);
    trial_clear(trial);
    trial_open(trial, "heavy", "a");
    assert_int_equal(rebuild_first(trial, NULL), 0);
    trial_end(trial);
}
