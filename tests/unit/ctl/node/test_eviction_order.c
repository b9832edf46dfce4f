// In which order the pods of many nodes leave: ctl/node/eviction_order.c.
#include "ctl/node_env.h"

enum { MANY = 10 };

static void put_sized(TestEnv *env, const char *name, const char *requests) {
    char spec[160];

    snprintf(spec, sizeof spec, ", containers: [{name: main, image: app, resources: {requests: {%s}}}]", requests);
    put_pod(env, name, "", spec);
}

#define COMMAND "9b2c5a3e-0000-4000-8000-000000000001/candidate/awaits-0"

// So many nodes of a pool that drain; n1, of 16 CPUs and 32 GiB, has pods of several sizes.
static TestEnv *draining(int nodes, bool are_in_a_command) {
    TestEnv *env = node_env(&eviction_queue_controller, &node_termination_controller);
    char node[16], claim[16];

    env_put(env, "{kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: '16', memory: 32Gi}}}");
    if (are_in_a_command)
        env_put(env, "{kind: Node, metadata: {name: n1, annotations: {tenon.sh/command: " COMMAND "}}}");
    put_sized(env, "half", "cpu: '8'");
    put_sized(env, "eighth", "cpu: '2', memory: 1Gi");
    put_sized(env, "sixteenth", "cpu: '1', memory: 1Gi");
    put_sized(env, "memory", "cpu: 100m, memory: 2Gi");
    put_sized(env, "small", "cpu: 500m");
    put_sized(env, "tiny", "cpu: 10m");
    for (int i = 2; i <= nodes; i++) {
        snprintf(node, sizeof node, "n%d", i);
        snprintf(claim, sizeof claim, "a%d", i);
        put_node(env, node, claim);
        env_delete(env, KUBE_NODE_CLAIM, claim);
    }
    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_delete(env, KUBE_NODE, "n1");
    return env;
}

static void put_pending(TestEnv *env, int count) {
    for (int i = 0; i < count; i++)
        env_put(env,
                "{kind: Pod, metadata: {name: pending-%d}, status: {phase: Pending, conditions: "
                "[PodScheduled=False/Unschedulable]}}",
                i);
}

TEST(large_pods_leave_first) {
    static const char *const wanted[] = {"+0s evict pod/default/half",      "+0s evict pod/default/eighth",
                                         "+2s evict pod/default/sixteenth", "+2s evict pod/default/memory",
                                         "+4s evict pod/default/small",     "+6s evict pod/default/tiny"};
    TestEnv *env = draining(MANY, true);
    const char *history = env_run(env, "9s");

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_says(history, wanted[i]);
    env_free(env);
}

TEST(smaller_ones_wait_until_kube_scheduler_has_caught_up) {
    TestEnv *env = draining(MANY, true);

    put_pending(env, 10);
    assert_does_not_say(env_run(env, "20s"), "evict pod/default/sixteenth");
    env_remove(env, KUBE_POD, "pending-0");
    assert_says(env_run(env, "1s"), "evict pod/default/sixteenth");
    env_free(env);
}

// n2 is of a command, too, but its drain has not begun.
TEST(smaller_ones_wait_for_large_ones_of_other_nodes) {
    TestEnv *env = draining(MANY, true);

    env_put(env,
            "{kind: Node, metadata: {name: n2, annotations: {tenon.sh/command: " COMMAND "}}, status: {allocatable: "
            "{cpu: '16', memory: 32Gi}}}");
    put_pod_on(env, "n2", "other", "", ", containers: [{name: main, image: app, resources: {requests: {cpu: '4'}}}]");
    assert_does_not_say(env_run(env, "20s"), "evict pod/default/sixteenth");
    env_remove(env, KUBE_POD, "other");
    assert_says(env_run(env, "1s"), "evict pod/default/sixteenth");
    env_free(env);
}

TEST(they_wait_for_forty_seconds_at_most) {
    TestEnv *env = draining(MANY, true);

    put_pending(env, 10);
    assert_does_not_say(env_run(env, "39s"), "evict pod/default/sixteenth");
    assert_says(env_run(env, "2s"), "evict pod/default/sixteenth");
    assert_does_not_say(env_run(env, "38s"), "evict pod/default/small");
    assert_says(env_run(env, "2s"), "evict pod/default/small");
    assert_says(env_run(env, "42s"), "evict pod/default/tiny");
    env_free(env);
}

TEST(the_next_drain_begins_with_the_large_ones_again) {
    TestEnv *env = draining(MANY, true);

    env_run(env, "20s");
    put_sized(env, "late", "cpu: 500m");
    assert_does_not_say(env_run(env, "3s"), "evict pod/default/late");
    assert_says(env_run(env, "3s"), "evict pod/default/late");
    env_free(env);
}

TEST(of_few_nodes_all_leave_at_once) {
    TestEnv *env = draining(MANY - 1, true);

    assert_int_equal(env_times(env_run(env, "0s"), " evict pod/default/"), 6);
    env_free(env);
}

TEST(of_nodes_that_no_command_takes_all_leave_at_once) {
    TestEnv *env = draining(MANY, false);

    assert_int_equal(env_times(env_run(env, "0s"), " evict pod/default/"), 6);
    env_free(env);
}

TEST(a_pod_that_is_forced_leaves_at_once) {
    TestEnv *env = draining(MANY, true);
    const char *history;

    put_deadline(env, "2026-01-05T00:00:10Z"); // earlier than the pods' own grace periods end
    history = env_run(env, "0s");
    assert_says(history, "delete pod/default/tiny");
    env_free(env);
}
