// Outweighed claims: a rebuild may not leave a claim of a lighter NodePool whose pods a heavier one could serve.
#include "harness/test.h"
#include "sched/bin/home_pool.h"
#include "sched/place/marginal_state.h"
#include "sched/place/rebuild.h"
#include "sched/support/trial.h"

// Two pods of about 1.5 CPUs: one on an on-demand node of the heavy pool, whose limit is used up then, and one on a
// spot node of the light pool.
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

// Rebuilds the first claim many times. Returns how many changes were kept.
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

TEST_F(World, w, a_claim_with_a_pod_that_the_heavy_pool_cannot_take_is_not_outweighed) {
    Trial *trial = begin_at_limit(w);
    Outweighed outweighed;

    outweighed_init(&outweighed, &trial->solver, home_weights(trial));
    assert_int_equal(outweighed.count, 0);
    trial_end(trial);
}

// One spot node for both pods costs less, but then the limit of the heavy pool allows either of them.
TEST_F(World, w, limits_of_the_heavy_pool_are_not_freed_for_a_claim_of_the_light_one) {
    Trial *trial = begin_at_limit(w);

    assert_int_equal(rebuild_first(trial, home_weights(trial)), 0);
    assert_true(rebuild_first(trial, NULL) > 0); // only the weights prevent it
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

// Some rebuilds restrict new claims to on-demand. A pod that requires spot is not moved to the light pool by that.
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
