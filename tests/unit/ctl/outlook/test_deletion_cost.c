// pod.deletioncost: the pods of nodes that go next go first. Reference changes.md 4.2.
#include "ctl/node_env.h"
#include "ctl/outlook/cost_values.h"
#include "ctl/outlook/deletion_cost.h"

#define COST "metadata.annotations.'controller.kubernetes.io/pod-deletion-cost'"
#define OWN  "metadata.annotations.'tenon.sh/pod-deletion-cost'"

static Settings gated(bool gate) {
    Settings settings = env_settings();

    settings.gate_pod_deletion_cost = gate;
    return settings;
}

static TestEnv *costs_env(bool gate) {
    Settings settings = gated(gate);

    return env_new(&deletion_cost_controller, &settings);
}

static void put_replica(TestEnv *env, const char *node, const char *name, const char *annotations) {
    char meta[512];

    snprintf(meta, sizeof meta, ", annotations: {%s}%s", annotations, owned_by(env, KUBE_REPLICA_SET, "web"));
    put_pod_on(env, node, name, meta, "");
}

// Three nodes with two pods each: p1a, p1b on n1, and so on.
static TestEnv *three_nodes(bool gate) {
    TestEnv *env = costs_env(gate);
    char node[8], claim[8], pod[8];

    for (int i = 1; i <= 3; i++) {
        snprintf(node, sizeof node, "n%d", i);
        snprintf(claim, sizeof claim, "c%d", i);
        put_node(env, node, claim);
        for (int k = 0; k < 2; k++) {
            snprintf(pod, sizeof pod, "p%d%c", i, 'a' + k);
            put_replica(env, node, pod, "");
        }
    }
    return env;
}

// What a look says.
static void expect_place(TestEnv *env, const char *node, uint32_t place) {
    state_expect(env_state(env), env_find(env, KUBE_NODE, node), (NodeOutlook){.place = place});
}

static const char *look_says(TestEnv *env, uint32_t first, uint32_t second, uint32_t third) {
    expect_place(env, "n1", first);
    expect_place(env, "n2", second);
    expect_place(env, "n3", third);
    state_set_looked_ahead(env_state(env));
    env_start(env);
    env_reconcile(env, "");
    env_carry_out(env);
    return env_run(env, "59s");
}

static int cost(TestEnv *env, const char *pod) {
    const char *text = env_part(env, KUBE_POD, pod, COST);

    assert_string_equal(text, env_part(env, KUBE_POD, pod, OWN));
    return *text ? atoi(text + 1) : 0; // it is quoted
}

TEST(pods_of_the_node_that_goes_first_are_the_cheapest) {
    TestEnv *env = three_nodes(true);

    look_says(env, 2, 1, 0);
    assert_true(cost(env, "p2a") < cost(env, "p1a"));
    assert_true(cost(env, "p1a") < 0);
    assert_int_equal(cost(env, "p1a"), cost(env, "p1b"));
    assert_int_equal(cost(env, "p3a"), 0);
    env_free(env);
}

TEST(nothing_is_written_twice) {
    TestEnv *env = three_nodes(true);

    look_says(env, 2, 1, 0);
    assert_int_equal(env_times(env_run(env, "10m"), "patch"), 0);
    env_pass(env, "1m");
    assert_int_equal(env_times(look_says(env, 2, 1, 0), "patch"), 0);
    env_free(env);
}

TEST(a_node_that_comes_to_the_front_is_the_only_one_written) {
    TestEnv *env = three_nodes(true);
    int of_first, of_second;

    look_says(env, 2, 1, 0);
    of_first = cost(env, "p1a");
    of_second = cost(env, "p2a");
    env_pass(env, "1m");
    look_says(env, 3, 2, 1);
    assert_int_equal(cost(env, "p1a"), of_first);
    assert_int_equal(cost(env, "p2a"), of_second);
    assert_true(cost(env, "p3a") < of_second);
    env_free(env);
}

TEST(a_node_that_stays_loses_its_values) {
    TestEnv *env = three_nodes(true);

    look_says(env, 2, 1, 0);
    env_pass(env, "1m");
    look_says(env, 0, 1, 0);
    env_run(env, "4m");
    assert_true(cost(env, "p1a") < 0); // it may be back soon
    env_run(env, "1m1s");
    assert_int_equal(cost(env, "p1a"), 0);
    assert_int_equal(cost(env, "p1b"), 0);
    assert_true(cost(env, "p2a") < 0);
    env_free(env);
}

TEST(a_node_that_is_blocked_for_a_moment_is_not_written) {
    TestEnv *env = three_nodes(true);

    look_says(env, 2, 1, 0);
    env_pass(env, "1m");
    assert_int_equal(env_times(look_says(env, 0, 1, 0), "patch"), 0);
    env_pass(env, "1m");
    assert_int_equal(env_times(look_says(env, 2, 1, 0), "patch"), 0);
    assert_int_equal(env_times(env_run(env, "1h"), "patch"), 0);
    env_free(env);
}

TEST(a_node_that_is_going_has_the_lowest) {
    TestEnv *env = three_nodes(true);

    env_put(env,
            "{kind: Node, metadata: {name: n3}, spec: {taints: [{key: karpenter.sh/disrupted, effect: NoSchedule}]}}");
    look_says(env, 2, 1, 0);
    assert_string_equal(env_part(env, KUBE_POD, "p3a", COST), "\"-2147483648\"");
    env_free(env);
}

// --- what users wrote

TEST(a_value_of_a_user_is_never_touched) {
    TestEnv *env = three_nodes(true);

    put_replica(env, "n1", "dear", "controller.kubernetes.io/pod-deletion-cost: '100'");
    assert_does_not_say(look_says(env, 2, 1, 0), "dear");
    assert_string_equal(env_part(env, KUBE_POD, "dear", COST), "\"100\"");
    assert_string_equal(env_part(env, KUBE_POD, "dear", OWN), "");
    assert_true(cost(env, "p1a") < 0);
    env_free(env);
}

TEST(a_user_may_take_a_pod_over) {
    TestEnv *env = three_nodes(true);

    look_says(env, 2, 1, 0);
    env_put(env,
            "{kind: Pod, metadata: {name: p1a, annotations: {controller.kubernetes.io/pod-deletion-cost: '100'}}}");
    env_pass(env, "1m");
    look_says(env, 2, 1, 0);
    assert_string_equal(env_part(env, KUBE_POD, "p1a", COST), "\"100\"");
    assert_string_equal(env_part(env, KUBE_POD, "p1a", OWN), ""); // it is not tenon's any more
    env_pass(env, "1m");
    look_says(env, 0, 0, 0);
    env_run(env, "10m");
    assert_string_equal(env_part(env, KUBE_POD, "p1a", COST), "\"100\"");
    assert_int_equal(cost(env, "p1b"), 0);
    env_free(env);
}

// The user's write is not in the State yet: it has another revision than the one that was read.
TEST(a_value_that_comes_at_the_same_time_stands) {
    TestEnv *env = three_nodes(true);

    env_start(env);
    expect_place(env, "n1", 1);
    state_set_looked_ahead(env_state(env));
    env_put_unseen(env, "{kind: Pod, metadata: {name: p1a, annotations: {controller.kubernetes.io/pod-deletion-cost: "
                        "'100'}}}");
    env_reconcile(env, "");
    env_carry_out(env);
    assert_says(env_reconcile(env, "n1"), "locked");
    env_carry_out(env);
    env_run(env, "59s");
    assert_string_equal(env_part(env, KUBE_POD, "p1a", COST), "\"100\"");
    assert_true(cost(env, "p1b") < 0);
    env_free(env);
}

TEST(only_pods_of_replica_sets_get_one) {
    TestEnv *env = three_nodes(true);

    put_pod_on(env, "n1", "bare", "", "");
    put_pod_on(env, "n1", "db", owned_by(env, KUBE_STATEFUL_SET, "db"), "");
    look_says(env, 1, 0, 0);
    assert_int_equal(cost(env, "bare"), 0);
    assert_int_equal(cost(env, "db"), 0);
    env_free(env);
}

// --- time

TEST(a_new_pod_gets_the_value_of_its_node_within_a_minute) {
    TestEnv *env = three_nodes(true);

    look_says(env, 1, 0, 0);
    put_replica(env, "n1", "new", "");
    put_replica(env, "n3", "other", "");
    env_run(env, "1m");
    assert_int_equal(cost(env, "new"), cost(env, "p1a"));
    assert_int_equal(cost(env, "other"), 0);
    env_free(env);
}

TEST(passes_keep_a_minute_apart) {
    TestEnv *env = three_nodes(true);

    look_says(env, 1, 0, 0);
    expect_place(env, "n2", 1);
    env_reconcile(env, ""); // 59 s behind the last one
    env_carry_out(env);
    assert_string_equal(env_run(env, "0s"), "");
    assert_int_equal(cost(env, "p2a"), 0);
    env_run(env, "1s");
    assert_true(cost(env, "p2a") < 0);
    env_free(env);
}

TEST(fifty_nodes_are_written_in_a_minute) {
    TestEnv *env = costs_env(true);
    char node[16], claim[16], pod[16];
    uint32_t written = 0;

    for (int i = 0; i < DELETION_COST_NODES + 10; i++) {
        snprintf(node, sizeof node, "n%02d", i);
        snprintf(claim, sizeof claim, "c%02d", i);
        snprintf(pod, sizeof pod, "p%02d", i);
        put_node(env, node, claim);
        put_replica(env, node, pod, "");
        expect_place(env, node, (uint32_t)i + 1);
    }
    state_set_looked_ahead(env_state(env));
    env_start(env);
    env_reconcile(env, "");
    env_carry_out(env);
    env_run(env, "59s");
    for (int i = 0; i < DELETION_COST_NODES + 10; i++) {
        snprintf(pod, sizeof pod, "p%02d", i);
        written += cost(env, pod) < 0;
    }
    assert_int_equal(written, DELETION_COST_NODES);
    assert_true(cost(env, "p00") < 0);
    assert_int_equal(cost(env, "p59"), 0);
    env_run(env, "1m");
    assert_true(cost(env, "p59") < 0);
    env_free(env);
}

// --- processes that end, settings that change

TEST(a_restart_waits_for_the_first_look) {
    TestEnv *env = three_nodes(true);
    int before;

    look_says(env, 2, 1, 0);
    before = cost(env, "p1a");
    env_restart(env);
    assert_int_equal(env_times(env_run(env, "10m"), "patch"), 0);
    assert_int_equal(env_times(look_says(env, 2, 1, 0), "patch"), 0); // and then finds its own numbers again
    assert_int_equal(cost(env, "p1a"), before);
    env_free(env);
}

TEST(without_the_gate_nothing_is_written) {
    TestEnv *env = three_nodes(false);

    assert_string_equal(look_says(env, 1, 2, 3), "");
    assert_int_equal(cost(env, "p1a"), 0);
    env_free(env);
}

TEST(what_the_gate_left_is_taken_off_and_nothing_else) {
    TestEnv *env = costs_env(false);

    put_node(env, "n1", "c1");
    put_replica(env, "n1", "own", "controller.kubernetes.io/pod-deletion-cost: '-5', tenon.sh/pod-deletion-cost: '-5'");
    put_replica(env, "n1", "user", "controller.kubernetes.io/pod-deletion-cost: '-5'");
    put_replica(env, "n1", "changed",
                "controller.kubernetes.io/pod-deletion-cost: '7', tenon.sh/pod-deletion-cost: '-5'");
    env_run(env, "1m");
    assert_string_equal(env_part(env, KUBE_POD, "own", COST), "");
    assert_string_equal(env_part(env, KUBE_POD, "own", OWN), "");
    assert_string_equal(env_part(env, KUBE_POD, "user", COST), "\"-5\"");
    assert_string_equal(env_part(env, KUBE_POD, "changed", COST), "\"7\"");
    assert_string_equal(env_part(env, KUBE_POD, "changed", OWN), "");
    env_free(env);
}

// A right that is missing is missed by every node.
TEST(a_write_that_is_refused_again_and_again_is_tried_ever_more_seldom) {
    TestEnv *env = three_nodes(true);

    env_break(env, INTENT_PATCH, 20, ERR_DENIED, "forbidden");
    look_says(env, 1, 0, 0);
    assert_in_range(env_times(env_run(env, "10m"), "patch"), 1, 12);
    env_run(env, "1h");
    assert_true(cost(env, "p1a") < 0);
    env_free(env);
}

TEST(a_write_that_is_refused_is_tried_again) {
    TestEnv *env = three_nodes(true);

    env_break(env, INTENT_PATCH, 3, ERR_DENIED, "forbidden");
    look_says(env, 1, 0, 0);
    assert_true(cost(env, "p1a") < 0);
    assert_true(cost(env, "p1b") < 0);
    env_free(env);
}
