// What the pods of one namespace may name: others pay nothing for more.
#include "base/buffer.h"
#include "harness/test.h"
#include "sched/input/word_limit.h"
#include "sched/support/texts.h"
#include "sched/support/trial.h"

// "before0after, before1after, …", counted from `first` on.
static const char *listed(uint32_t first, uint32_t count, const char *before, const char *after) {
    Buffer text = {0};
    const char *all;

    for (uint32_t i = first; i < first + count; i++)
        buffer_printf(&text, "%s%s%u%s", i == first ? "" : ", ", before, i, after);
    all = TEXT("%.*s", SLICE_ARG(buffer_slice(&text)));
    buffer_free(&text);
    return all;
}

// Labels that a node must not have: any node is good, so the pod is placed where they are read.
static const char *shuns(uint32_t first, uint32_t count) {
    return TEXT("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                "[{matchExpressions: [%s]}]}}}",
                listed(first, count, "{key: x.io/k", ", operator: DoesNotExist}"));
}

// --- pods that wait

enum { A_POD = 256, FIT = WORD_LIMIT_KEYS / A_POD };

static void add_pod(World *w, uint32_t number, const char *ns, const char *more) {
    world_pods(w, .name = TEXT("%s-%u", ns, number), .ns = ns, .requests = "cpu: 100m",
               .spec = TEXT("%s%s", shuns(number * A_POD, A_POD), more));
}

TEST_F(World, w, pods_of_a_namespace_that_name_too_much_are_set_aside_and_those_of_others_are_planned) {
    world_pool(w, .name = "default");
    for (uint32_t i = 0; i <= FIT; i++)
        add_pod(w, i, "many", "");
    add_pod(w, 0, "other", "");

    world_plan(w);

    assert_pending(w, "many-4");
    assert_message(w, "many-4", "ignoring pod, " WORD_LIMIT_TEXT);
}

TEST_F(World, w, of_pods_that_name_too_much_those_of_the_highest_priority_are_planned) {
    world_pool(w, .name = "default");
    for (uint32_t i = 0; i < FIT; i++)
        add_pod(w, i, "many", "");
    add_pod(w, FIT, "many", ", priority: 5");

    world_plan(w);

    assert_pending(w, "many-3");
}

TEST_F(World, w, words_that_are_named_again_are_free) {
    world_pool(w, .name = "default");
    for (uint32_t i = 0; i < 2 * FIT; i++)
        world_pods(w, .name = TEXT("web-%u", i), .requests = "cpu: 100m",
                   .spec = TEXT("%s, terminationGracePeriodSeconds: %u", shuns(0, A_POD), i));

    world_plan(w);

    assert_pending(w, "");
}

TEST_F(World, w, a_pod_that_is_set_aside_leaves_what_it_names_to_others) {
    world_pool(w, .name = "default");
    for (uint32_t i = 1; i < FIT; i++)
        add_pod(w, i, "many", "");
    world_pods(w, .name = "many-8", .ns = "many", .requests = "cpu: 100m", .spec = shuns(FIT * A_POD, A_POD + 1));
    world_pods(w, .name = "many-9", .ns = "many", .requests = "cpu: 100m", .spec = shuns(FIT * A_POD, A_POD));

    world_plan(w);

    assert_pending(w, "many-8");
}

// --- what a plan costs

typedef struct {
    uint32_t keys, selector_keys;
} Names;

static Names names_of(World *w) {
    Trial *trial = trial_begin(w);
    Names names = {trial->solver.universe.keys.count, trial->solver.classes.selector_keys.count};

    trial_end(trial);
    return names;
}

// Terms of a pod that runs, about labels that no node has.
static const char *nowhere(uint32_t first, uint32_t count) {
    return TEXT("affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [%s]}}",
                listed(first, count, "{topologyKey: x.io/k", ", labelSelector: {matchLabels: {app: web}}}"));
}

TEST_F(World, w, rules_of_pods_that_run_about_labels_that_no_node_has_cost_nothing) {
    Names before, after;

    world_pool(w, .name = "default");
    world_node(w, .name = "node-1");
    world_pods(w, .name = "web", .requests = "cpu: 1", .labels = "app: web");
    before = names_of(w);
    for (uint32_t i = 0; i < 10; i++)
        world_pods(w, .name = TEXT("running-%u", i), .requests = "cpu: 1m", .node = "node-1",
                   .spec = nowhere(i * 64, 64));
    after = names_of(w);

    assert_int_equal(after.keys, before.keys);
    world_plan(w);
    assert_string_equal(world_place(w, "web"), "node-1");
}

static const char *selects(uint32_t first, uint32_t count) {
    return TEXT("affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
                "kubernetes.io/hostname, labelSelector: {matchLabels: {%s}}}]}}",
                listed(first, count, "l", ": x"));
}

// What they forbid is not known then, so any pod of their namespace stays off.
TEST_F(World, w, rules_of_pods_that_run_are_read_of_a_namespace_as_far_as_they_select_by_few_labels) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1");
    world_node(w, .name = "node-2");
    for (uint32_t i = 0; i < 4; i++)
        world_pods(w, .name = TEXT("running-%u", i), .ns = "many", .requests = "cpu: 1m", .node = "node-1",
                   .spec = selects(i * 256, 256));
    world_pods(w, .name = "own", .ns = "many", .requests = "cpu: 100m");
    world_pods(w, .name = "far", .ns = "far", .requests = "cpu: 15500m");
    world_plan(w);
    assert_string_equal(world_place(w, "own"), "node-1");

    world_pods(w, .name = "running-4", .ns = "many", .requests = "cpu: 1m", .node = "node-1", .spec = selects(1024, 1));
    assert_int_equal(names_of(w).selector_keys, 1024);
    world_plan(w);
    assert_string_equal(world_place(w, "own"), "node-2");
    assert_string_equal(world_place(w, "far"), "node-1");
}

// Of more than are read, those of the younger pod are not, whatever the order of the input.
TEST_F(World, w, which_rules_of_pods_that_run_are_read_does_not_depend_on_their_order) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1");
    world_node(w, .name = "node-2");
    world_pods(w, .name = "b", .ns = "many", .requests = "cpu: 1m", .node = "node-2", .spec = selects(0, 600));
    world_pods(w, .name = "a", .ns = "many", .requests = "cpu: 1m", .node = "node-1", .spec = selects(600, 600));
    world_pods(w, .name = "own", .ns = "many", .requests = "cpu: 100m");
    world_plan(w);

    assert_string_equal(world_place(w, "own"), "node-1");
}

// --- rules about a label that nodes have

#define RACK "example.com/rack"

// A pod on node-1 of rack a with more terms than are read, the last about racks; node-2 is of rack a, node-3 of rack b.
TEST_F(World, w, a_term_that_is_not_read_about_a_label_of_nodes_keeps_off_where_they_have_it) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .labels = RACK ": a");
    world_node(w, .name = "node-2", .labels = RACK ": a");
    world_node(w, .name = "node-3", .labels = RACK ": b");
    world_pods(w, .name = "running", .requests = "cpu: 1", .node = "node-1",
               .spec = TEXT("affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [%s, "
                            "{topologyKey: " RACK ", labelSelector: {matchLabels: {app: web}}}]}}",
                            listed(0, 64, "{topologyKey: x.io/k", ", labelSelector: {matchLabels: {app: web}}}")));
    world_pods(w, .name = "web", .requests = "cpu: 1", .labels = "app: web");
    world_plan(w);

    assert_string_equal(world_place(w, "web"), "node-3");
}

// --- DaemonSets

TEST_F(World, w, daemon_sets_that_name_too_much_run_everywhere) {
    Names few, many;

    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .allocatable = "cpu: 4, memory: 8Gi, pods: 110");
    world_pods(w, .name = "web", .requests = "cpu: 3500m");
    for (uint32_t i = 0; i < 4; i++)
        world_daemon(w, TEXT("agent-%u", i), "cpu: 10m",
                     TEXT("nodeSelector: {%s}", listed(i * 100, 100, "x.io/d", ": on-it")));
    few = names_of(w);
    world_plan(w);
    assert_string_equal(world_place(w, "web"), "node-1");

    for (uint32_t i = 4; i < 40; i++)
        world_daemon(w, TEXT("agent-%u", i), "cpu: 10m",
                     TEXT("nodeSelector: {%s}", listed(i * 100, 100, "x.io/d", ": on-it")));
    world_daemon(w, "agent-40", "cpu: 1", TEXT("nodeSelector: {%s}", listed(4000, 100, "x.io/d", ": on-it")));
    many = names_of(w);
    assert_true(many.keys > few.keys && many.keys <= few.keys + WORD_LIMIT_KEYS);
    world_plan(w);
    assert_string_not_equal(world_place(w, "web"), "node-1");
}
