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

// --- many rules of bound pods

static Arena texts;

static void free_texts(void) {
    arena_free(&texts);
    texts = (Arena){0};
}

AFTER_EACH(free_texts);

// Pods that run, each with labels and a rule of its own.
static void add_many(World *w, uint32_t count, const char *ns) {
    for (uint32_t i = 0; i < count; i++)
        world_pods(w, .name = arena_printf(&texts, "running-%u", i).ptr, .requests = "cpu: 1m", .node = "node-1",
                   .ns = ns, .labels = arena_printf(&texts, "app: a%u", i).ptr,
                   .spec = arena_printf(&texts, AFFINITY(APART(PODS(HOST, "app: b%u", ""))), i).ptr);
}

// How often a rule is compared with labels when that many pods run in a namespace and one pod waits in `default`.
static uint64_t tests_with(uint32_t count, const char *ns) {
    World *w = world_setup();
    uint64_t tests;
    Trial *trial;

    world_pool(w, .name = "default");
    world_node(w, .name = "node-1");
    add_many(w, count, ns);
    world_pods(w, .name = "web", .labels = "app: web", .requests = "cpu: 1");
    trial = trial_begin(w);
    tests = trial->solver.classes.rules_tested;
    trial_end(trial);
    world_teardown(w);
    return tests;
}

// Where bound pods may not go is no question.
TEST(rules_of_bound_pods_are_compared_with_pods_that_wait_and_not_with_each_other) {
    assert_int_equal(tests_with(50, "default"), 50);
    assert_int_equal(tests_with(100, "default"), 100);
}

TEST(rules_that_reach_no_namespace_of_a_pod_that_waits_are_not_compared) {
    assert_int_equal(tests_with(50, "other"), 0);
}
