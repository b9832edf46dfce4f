// Bound pods as groups of rules between pods: in the order of pods, whatever the order of the input.
#include "harness/test.h"
#include "sched/support/trial.h"

#include <stdio.h>

// Adds a running pod.
static void add_bound(World *w, const char *name, const char *rule) {
    world_pods(w, .name = name, .requests = "cpu: 1", .node = "node-1", .spec = rule);
}

#define KEEPS_OFF(app) AFFINITY(APART(PODS(HOST, "app: " app, "")))

// The apps that inverse groups keep off, in the order of the groups.
static const char *apps_kept_off(const Trial *trial) {
    static char text[64];
    size_t length = 0;

    text[0] = 0;
    for (vec_each(const TopologyGroup, group, &trial->solver.topology.groups)) {
        Slice app = symbol_text(trial->solver.universe.symbols,
                                group->matches.items[0].selector->expressions.items[0].values.items[0]);

        if (group->kind == GROUP_INVERSE)
            length += (size_t)snprintf(text + length, sizeof text - length, "%.*s ", SLICE_ARG(app));
    }
    return text;
}

// Sums over groups (of the floor) must not depend on the order in which an API server lists pods.
TEST_F(World, w, groups_of_bound_pods_are_in_the_order_of_pods) {
    Trial *trial;

    world_pool(w, .name = "default");
    world_node(w, .name = "node-1");
    add_bound(w, "c-3", KEEPS_OFF("third"));
    add_bound(w, "a-1", KEEPS_OFF("first"));
    add_bound(w, "b-2", KEEPS_OFF("second"));
    add_bound(w, "d-4", KEEPS_OFF("first"));
    world_pods(w, .name = "web", .labels = "app: first", .requests = "cpu: 1");

    trial = trial_begin(w);

    assert_string_equal(apps_kept_off(trial), "first second third ");
    trial_end(trial);
}

// One group for pods with one rule, which counts all of them.
TEST_F(World, w, bound_pods_with_one_rule_share_a_group) {
    Trial *trial;

    world_pool(w, .name = "default");
    world_node(w, .name = "node-1");
    add_bound(w, "a", KEEPS_OFF("web"));
    add_bound(w, "b", KEEPS_OFF("web"));
    world_pods(w, .name = "web", .labels = "app: web", .requests = "cpu: 1");

    trial = trial_begin(w);

    assert_string_equal(apps_kept_off(trial), "web ");
    assert_int_equal(*trial->solver.topology.groups.items[0].total, 2);
    trial_end(trial);
}

// Whoever may make pods may write any amount: sums stay at an end of the range, where they would turn over.
TEST_F(World, w, amounts_without_bound_fill_a_node) {
    static const char *const apps[] = {"a", "b", "c", "d"};
    Trial *trial;
    uint32_t memory;

    world_pool(w, .name = "default");
    world_node(w, .name = "node-1");
    for (int i = 0; i < 4; i++)
        world_pods(w, .name = apps[i], .requests = "memory: 9223372036854775807", .node = "node-1");
    world_pods(w, .name = "huge", .requests = "cpu: 1, memory: 9223372036854775807");
    world_pods(w, .name = "web", .requests = "cpu: 1, memory: 1Gi");

    trial = trial_begin(w);

    memory = dimension_of(&trial->solver.classes.dimensions, NAME_MEMORY);
    assert_true(trial->solver.bins.items[0].free[memory] <= -AMOUNT_MAX / 2);
    for (vec_each(PodClass, class, &trial->solver.classes.classes))
        assert_in_range(quanta_up(&trial->solver.quanta, memory, class->requests[memory]), 1, INT32_MAX / 2);
    trial_end(trial);
}
