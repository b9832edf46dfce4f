// Nodes with room that are remembered: placing finds the same bins as a scan of all of them.
#include "harness/test.h"
#include "sched/bin/launch_order.h"
#include "sched/place/marginal.h"
#include "sched/place/marginal_room.h"
#include "sched/support/random_world.h"
#include "sched/support/trial.h"

#include <stdio.h>

AFTER_EACH(random_teardown);

enum { FEATURES = RANDOM_NODES | RANDOM_TOPOLOGY | RANDOM_SELECTORS };

static bool has_room(const Solver *solver, const Bin *bin, const PodClass *class) {
    for (uint32_t dim = 0; dim < solver->quanta.dims; dim++) {
        int32_t need = quanta_up(&solver->quanta, dim, class->requests[dim]);

        if (need > 0 && (bin->free[dim] < 0 || bin->free[dim] / solver->quanta.unit[dim] < need))
            return false;
    }
    return true;
}

static void check_room(Solver *solver, uint32_t class) {
    const U32Vec *nodes = marginal_room(marginal_state(solver), class);
    uint32_t next = 0;

    assert_non_null(nodes);
    for (uint32_t bin = 0; bin < solver->node_count; bin++) {
        if (!has_room(solver, &solver->bins.items[bin], &solver->classes.classes.items[class]))
            continue;
        assert_true(next < nodes->count);
        assert_int_equal(nodes->items[next++], bin);
    }
    assert_int_equal(next, nodes->count);
}

static void remember_all(Trial *trial) {
    for (uint32_t class = 0; class < trial->solver.classes.classes.count; class ++) {
        assert_null(marginal_room(marginal_state(&trial->solver), class));
        marginal_remember_room(&trial->solver, class);
        check_room(&trial->solver, class);
    }
}

static void check_world(World *world, Random *random) {
    Trial *plain = trial_begin(world), *remembering = trial_begin(world);

    (void)random;
    trial_clear(plain);
    trial_clear(remembering);
    remember_all(remembering);
    for (uint32_t class = 0; class < plain->solver.classes.classes.count; class ++) {
        uint32_t want = plain->solver.classes.classes.items[class].count;

        assert_int_equal(marginal_move(&plain->solver, class, 0, want, &MOVE_ANYWHERE),
                         marginal_move(&remembering->solver, class, 0, want, &MOVE_ANYWHERE));
    }
    assert_int_equal(plain->solver.bins.count, remembering->solver.bins.count);
    for (uint32_t i = 0; i < plain->solver.bins.count; i++) {
        const Bin *bin = &plain->solver.bins.items[i], *other = &remembering->solver.bins.items[i];

        assert_int_equal(bin->pods.count, other->pods.count);
        for (uint32_t k = 0; k < bin->pods.count; k++) {
            assert_int_equal(bin->pods.items[k].class, other->pods.items[k].class);
            assert_int_equal(bin->pods.items[k].count, other->pods.items[k].count);
        }
    }
    trial_end(plain);
    trial_end(remembering);
}

TEST(pods_go_to_the_same_bins_when_room_is_remembered) {
    each_random_world(300, FEATURES, check_world);
}

// So many nodes have room that a list of them would be longer than what a scan looks at.
TEST_F(World, w, a_class_that_fits_almost_everywhere_has_no_list) {
    Trial *trial;

    world_pool(w, .name = "default");
    for (uint32_t i = 0; i < 300; i++) {
        char name[16];

        snprintf(name, sizeof name, "node-%u", i);
        world_node(w, .name = name, .allocatable = "cpu: 4, memory: 8Gi, pods: 10");
    }
    world_pods(w, .name = "web", .requests = "cpu: 1");
    trial = trial_begin(w);
    trial_clear(trial);
    marginal_remember_room(&trial->solver, 0);
    assert_null(marginal_room(marginal_state(&trial->solver), 0));
    trial_end(trial);
}
