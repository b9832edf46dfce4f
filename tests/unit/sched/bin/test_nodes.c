// Bound pods as groups of rules between pods: in the order of pods, whatever the order of the input.
#include "base/buffer.h"
#include "harness/test.h"
#include "sched/bin/bound_rules.h"
#include "sched/support/texts.h"
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

// Pods that run, each with labels and a rule of its own.
static void add_many(World *w, uint32_t count, const char *ns) {
    for (uint32_t i = 0; i < count; i++)
        world_pods(w, .name = TEXT("running-%u", i), .requests = "cpu: 1m", .node = "node-1", .ns = ns,
                   .labels = TEXT("app: a%u", i), .spec = TEXT(AFFINITY(APART(PODS(HOST, "app: b%u", ""))), i));
}

typedef struct {
    uint64_t tests;  // how often a rule is compared with labels
    uint32_t groups; // rules that are counted
} RuleWork;

// When that many pods run in a namespace and one pod waits in `default`.
static RuleWork work_with(uint32_t count, const char *ns) {
    World *w = world_setup();
    RuleWork work;
    Trial *trial;

    world_pool(w, .name = "default");
    world_node(w, .name = "node-1");
    add_many(w, count, ns);
    world_pods(w, .name = "web", .labels = "app: web", .requests = "cpu: 1");
    trial = trial_begin(w);
    work = (RuleWork){trial->solver.classes.rules_tested, trial->solver.topology.groups.count};
    trial_end(trial);
    world_teardown(w);
    return work;
}

// Where bound pods may not go is no question.
TEST(rules_of_bound_pods_are_compared_with_pods_that_wait_and_not_with_each_other) {
    assert_int_equal(work_with(50, "default").tests, 50);
    assert_int_equal(work_with(100, "default").tests, 100);
}

TEST(rules_that_reach_no_namespace_of_a_pod_that_waits_cost_nothing) {
    assert_int_equal(work_with(50, "other").tests, 0);
    assert_int_equal(work_with(50, "other").groups, 0);
}

// A selector of namespaces is asked about those of pods that wait, not about all that there are.
TEST_F(World, w, rules_for_namespaces_by_their_labels_are_held_for_those_of_pods_that_wait) {
    Trial *trial;

    world_pool(w, .name = "default");
    world_node(w, .name = "node-1");
    world_node(w, .name = "node-2");
    for (uint32_t i = 0; i < 10; i++)
        world_object(w, TEXT("apiVersion: v1, kind: Namespace, metadata: {name: ns-%u, labels: {team: "
                             "\"%u\"}}",
                             i, i % 2));
    world_pods(w, .name = "running", .requests = "cpu: 1m", .node = "node-1", .ns = "ns-0",
               .spec = AFFINITY(APART(PODS(HOST, "app: web", ", namespaceSelector: {matchLabels: {team: '1'}}"))));
    world_pods(w, .name = "kept-off", .labels = "app: web", .requests = "cpu: 1", .ns = "ns-1");
    world_pods(w, .name = "free", .labels = "app: web", .requests = "cpu: 1", .ns = "ns-2");
    trial = trial_begin(w);
    for (vec_each(const TopologyGroup, group, &trial->solver.topology.groups))
        assert_int_equal(group->matches.items[0].namespaces.count, 1);
    trial_end(trial);
    world_plan(w);

    assert_string_equal(world_place(w, "kept-off"), "node-2");
    assert_string_equal(world_place(w, "free"), "node-1");
}

// --- more rules than are read

enum { TERMS = 64 }; // of a pod

// Terms about the host whose selectors have numbers from `first` on. `more`: what else a term has.
static const char *terms_from(uint32_t first, uint32_t count, const char *more) {
    Buffer text = {0};
    const char *all;

    for (uint32_t i = first; i < first + count; i++)
        buffer_printf(&text, "%s" PODS(HOST, "app: b%u", "%s"), i == first ? "" : ", ", i, more);
    all = TEXT(AFFINITY(APART("%.*s")), SLICE_ARG(buffer_slice(&text)));
    buffer_free(&text);
    return all;
}

static uint32_t inverse_groups(const Trial *trial) {
    uint32_t count = 0;

    for (vec_each(const TopologyGroup, group, &trial->solver.topology.groups))
        count += group->kind == GROUP_INVERSE;
    return count;
}

// The first pods are on one node, the last one is on another: its rules are beyond what is read of a namespace.
static void add_more_than_are_read(World *w) {
    uint32_t pods = BOUND_RULES_MAX / TERMS;

    world_pool(w, .name = "default");
    world_node(w, .name = "node-1");
    world_node(w, .name = "node-2");
    for (uint32_t i = 0; i <= pods; i++)
        world_pods(w, .name = TEXT("running-%04u", i), .requests = "cpu: 1m", .node = i < pods ? "node-1" : "node-2",
                   .ns = "many", .labels = "app: many",
                   .spec = terms_from(i * TERMS, TERMS, ", namespaces: [many, near]"));
}

TEST_F(World, w, rules_of_a_namespace_beyond_the_bound_count_as_one_for_each_namespace_that_they_reach) {
    Trial *trial;

    add_more_than_are_read(w);
    world_pods(w, .name = "far", .requests = "cpu: 1", .ns = "far");
    world_pods(w, .name = "near", .requests = "cpu: 1", .ns = "near");
    world_pods(w, .name = "own", .requests = "cpu: 1", .ns = "many");
    trial = trial_begin(w);

    assert_int_equal(inverse_groups(trial), BOUND_RULES_MAX + 2);
    assert_int_equal(trial->solver.read_in_part.count, 1);
    assert_string_equal(symbol_text(trial->solver.universe.symbols, trial->solver.read_in_part.items[0]->name).ptr,
                        "running-0064");
    trial_end(trial);
}

TEST_F(World, w, pods_that_rules_beyond_the_bound_reach_go_to_other_nodes) {
    add_more_than_are_read(w);
    world_pods(w, .name = "near", .requests = "cpu: 1", .ns = "near");
    world_plan(w);

    assert_string_equal(world_place(w, "near"), "node-1");
}

TEST_F(World, w, pods_that_rules_beyond_the_bound_do_not_reach_go_anywhere) {
    add_more_than_are_read(w);
    world_pods(w, .name = "full", .requests = "cpu: 15500m", .node = "node-1");
    world_pods(w, .name = "far", .requests = "cpu: 1", .ns = "far");
    world_plan(w);

    assert_string_equal(world_place(w, "far"), "node-2");
}

// One pod with a term more than is read, on node-1; node-2 is empty.
static void add_beyond(World *w, const char *more) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1");
    world_node(w, .name = "node-2");
    world_pods(w, .name = "running", .requests = "cpu: 1", .node = "node-1", .ns = "many",
               .spec = terms_from(0, TERMS + 1, more));
}

TEST_F(World, w, terms_of_a_pod_that_are_not_read_keep_off_only_the_namespaces_that_they_reach) {
    add_beyond(w, "");
    world_pods(w, .name = "far", .requests = "cpu: 1", .ns = "far");
    world_plan(w);

    assert_string_equal(world_place(w, "far"), "node-1");
}

TEST_F(World, w, terms_of_a_pod_that_are_not_read_keep_off_its_own_namespace) {
    add_beyond(w, "");
    world_pods(w, .name = "own", .requests = "cpu: 1", .ns = "many");
    world_plan(w);

    assert_string_equal(world_place(w, "own"), "node-2");
}

TEST_F(World, w, terms_of_a_pod_that_are_not_read_keep_off_namespaces_that_a_selector_selects) {
    add_beyond(w, ", namespaceSelector: {}");
    world_pods(w, .name = "far", .requests = "cpu: 1", .ns = "far");
    world_plan(w);

    assert_string_equal(world_place(w, "far"), "node-2");
}
