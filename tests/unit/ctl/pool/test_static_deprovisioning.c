// static.deprovisioning: reference lifecycle.md 6.1, 0.6.
#include "ctl/support/env.h"

#include "ctl/pool/static_capacity.h"

static TestEnv *with_pool(const char *spec) {
    Settings settings = env_settings();
    TestEnv *env;

    settings.gate_static_capacity = true;
    env = env_new(&static_deprovisioning_controller, &settings);
    env_put(env, "{kind: NodePool, metadata: {name: default}, spec: {%s}, status: {conditions: [Ready]}}", spec);
    return env;
}

// A claim with a finalizer, and its node.
static void put_node(TestEnv *env, const char *name) {
    env_put(env,
            "{kind: NodeClaim, metadata: {name: %s, finalizers: [karpenter.sh/termination], labels: "
            "{karpenter.sh/nodepool: default}}, spec: {expireAfter: 1h}, status: {providerID: 'kwok://%s', nodeName: "
            "n-%s}}\n---\n{kind: Node, metadata: {name: n-%s, labels: {karpenter.sh/nodepool: default}}, spec: "
            "{providerID: 'kwok://%s'}}",
            name, name, name, name, name);
}

static void put_unlaunched(TestEnv *env, const char *name) {
    env_put(env,
            "{kind: NodeClaim, metadata: {name: %s, finalizers: [karpenter.sh/termination], labels: "
            "{karpenter.sh/nodepool: default}}}",
            name);
}

// `meta`: further members of the metadata.
static void put_pod(TestEnv *env, const char *name, const char *node, const char *meta) {
    env_put(env, "{kind: Pod, metadata: {name: %s%s}, spec: {nodeName: n-%s}, status: {phase: Running}}", name, meta,
            node);
}

// A pod of a DaemonSet.
static void put_daemon_pod(TestEnv *env, const char *name, const char *node, const char *meta) {
    char more[512];

    env_put(env, "{kind: DaemonSet, metadata: {name: log}, spec: {selector: {matchLabels: {app: log}}, template: "
                 "{metadata: {labels: {app: log}}, spec: {containers: [{name: main, image: log}]}}}}");
    snprintf(more, sizeof more,
             ", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: log, controller: true, uid: %s}]%s",
             env_part(env, KUBE_DAEMON_SET, "log", "metadata.uid"), meta);
    put_pod(env, name, node, more);
}

static bool goes(TestEnv *env, const char *name) {
    return env_part(env, KUBE_NODE_CLAIM, name, "metadata.deletionTimestamp")[0] != '\0';
}

static void scale_to(TestEnv *env, int replicas) {
    env_put(env, "{kind: NodePool, metadata: {name: default}, spec: {replicas: %d}}", replicas);
    env_run(env, "0s");
}

TEST(surplus_claims_are_deleted) {
    TestEnv *env = with_pool("replicas: 3");
    const char *history;

    put_node(env, "a");
    put_node(env, "b");
    put_node(env, "c");
    assert_string_equal(env_run(env, "1h"), "");
    env_put(env, "{kind: NodePool, metadata: {name: default}, spec: {replicas: 1}}");
    history = env_run(env, "0s");
    assert_says(history, "log info deprovisioning nodeclaims to satisfy replica count NodePool=default current=3 "
                         "desired=1 deprovision-count=2");
    assert_says(history, "log debug deleting nodeclaim NodeClaim=a");
    assert_int_equal(env_times(history, "delete nodeclaim/"), 2);
    assert_string_equal(env_run(env, "1h"), ""); // what is going away does not count
    env_free(env);
}

// A drifted node and its replacement, which is created before the drifted one is marked.
static void put_command(TestEnv *env) {
    put_node(env, "old");
    env_put(env, "{kind: Node, metadata: {name: n-old, annotations: {tenon.sh/command: 0f8f/candidate/awaits-1}}}");
    env_put(env, "{kind: NodeClaim, metadata: {name: new, finalizers: [karpenter.sh/termination], labels: "
                 "{karpenter.sh/nodepool: default}, annotations: {tenon.sh/command: 0f8f/replacement/joins}}}");
}

TEST(a_replacement_is_no_surplus_before_the_old_claim_is_marked) {
    TestEnv *env = with_pool("replicas: 1");

    put_command(env);
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(a_replacement_counts_in_place_of_a_claim_that_is_marked) {
    TestEnv *env = with_pool("replicas: 2");

    put_command(env);
    put_node(env, "other");
    state_mark_deleting(env_state(env), env_find(env, KUBE_NODE_CLAIM, "old"), true);
    assert_string_equal(env_run(env, "0s"), "");
    scale_to(env, 1);
    assert_true(goes(env, "new")); // it has no instance yet
    assert_false(goes(env, "old") || goes(env, "other"));
    env_free(env);
}

TEST(a_replacement_counts_when_its_command_has_ended) {
    TestEnv *env = with_pool("replicas: 1");

    put_command(env);
    assert_string_equal(env_run(env, "0s"), "");
    env_put(env, "{kind: NodeClaim, metadata: {name: new, annotations: {tenon.sh/command: null}}}");
    assert_says(env_run(env, "0s"), "delete nodeclaim/");
    assert_true(goes(env, "new"));
    env_free(env);
}

TEST(claims_without_instance_go_first) {
    TestEnv *env = with_pool("replicas: 3");

    put_node(env, "a");
    put_unlaunched(env, "z");
    put_node(env, "b");
    scale_to(env, 2);
    assert_true(goes(env, "z"));
    assert_false(goes(env, "a") || goes(env, "b"));
    env_free(env);
}

// Empty: pods of DaemonSets only.
TEST(empty_nodes_go_next) {
    TestEnv *env = with_pool("replicas: 3");

    put_node(env, "a");
    put_node(env, "b");
    put_node(env, "c");
    put_pod(env, "web-a", "a", "");
    put_pod(env, "web-b", "b", "");
    put_daemon_pod(env, "log-c", "c", "");
    put_pod(env, "done-c", "c", "");
    env_put(env, "{kind: Pod, metadata: {name: done-c}, status: {phase: Succeeded}}");
    scale_to(env, 2);
    assert_true(env_has(env, KUBE_POD, "log-c"));
    assert_true(goes(env, "c"));
    assert_false(goes(env, "a") || goes(env, "b"));
    env_free(env);
}

TEST(nodes_with_do_not_disrupt_pods_go_last) {
    TestEnv *env = with_pool("replicas: 3");

    put_node(env, "a");
    put_node(env, "b");
    put_node(env, "c");
    put_daemon_pod(env, "keep", "a", ", annotations: {karpenter.sh/do-not-disrupt: 'true'}"); // so it is not empty
    for (int i = 0; i < 5; i++) {
        char name[16];

        snprintf(name, sizeof name, "b-%d", i);
        put_pod(env, name, "b", "");
        snprintf(name, sizeof name, "c-%d", i);
        put_pod(env, name, "c", "");
    }
    scale_to(env, 1);
    assert_false(goes(env, "a"));
    assert_true(goes(env, "b") && goes(env, "c"));
    env_free(env);
}

// 0.6: the cost is 1 per pod, changed by pod-deletion-cost and priority.
TEST(among_the_others_the_cheapest_goes_first) {
    TestEnv *env = with_pool("replicas: 3");

    put_node(env, "a");
    put_node(env, "b");
    put_node(env, "c");
    put_pod(env, "a-1", "a", "");
    put_pod(env, "a-2", "a", "");
    put_pod(env, "b-1", "b", ", annotations: {controller.kubernetes.io/pod-deletion-cost: '1000000'}");
    put_pod(env, "c-1", "c", ", annotations: {controller.kubernetes.io/pod-deletion-cost: 'much'}"); // counts as 0
    scale_to(env, 2);
    assert_true(goes(env, "c"));
    scale_to(env, 1);
    assert_true(goes(env, "b"));
    assert_false(goes(env, "a"));
    env_free(env);
}

// Two pods for a node with a quarter of its life left cost half a pod.
TEST(what_is_left_of_expire_after_weighs) {
    TestEnv *env = with_pool("replicas: 2");

    put_node(env, "old");
    env_pass(env, "45m");
    put_node(env, "new");
    put_pod(env, "o-1", "old", "");
    put_pod(env, "o-2", "old", "");
    put_pod(env, "n-1", "new", "");
    scale_to(env, 1);
    assert_true(goes(env, "old"));
    assert_false(goes(env, "new"));
    env_free(env);
}

TEST(replicas_may_be_zero) {
    TestEnv *env = with_pool("replicas: 2");

    put_node(env, "a");
    put_unlaunched(env, "b");
    scale_to(env, 0);
    assert_true(goes(env, "a") && goes(env, "b"));
    env_free(env);
}

// A superfluous claim is noticed when it is created.
TEST(a_claim_too_many_is_seen_when_it_comes) {
    TestEnv *env = with_pool("replicas: 1");

    put_node(env, "a");
    put_node(env, "b");
    assert_says(env_run(env, "0s"), "delete nodeclaim/a");
    env_free(env);
}

// While the watch lags, no other claim is chosen, though the order by cost has changed.
TEST(a_slow_watch_causes_no_second_deletion) {
    TestEnv *env = with_pool("replicas: 1");

    put_node(env, "a");
    put_node(env, "b");
    put_pod(env, "b-1", "b", "");
    env_reconcile(env, "default");
    assert_says(env_texts(env), "delete nodeclaim/a");
    put_pod(env, "a-1", "a", ""); // now `b` would be the cheaper one
    put_pod(env, "a-2", "a", "");
    assert_string_equal(env_reconcile(env, "default"), "");
    env_free(env);
}

TEST(a_removal_that_fails_is_tried_again) {
    TestEnv *env = with_pool("replicas: 1");

    put_node(env, "a");
    put_node(env, "b");
    env_break(env, INTENT_REMOVE, 1, ERR_IO, "the API server is away");
    assert_says(env_run(env, "1s"), "log error Reconciler error NodePool=default error=the API server is away");
    assert_true(goes(env, "a"));
    assert_false(goes(env, "b"));
    env_free(env);
}

TEST(killed_after_each_intent_it_removes_no_more_than_it_should) {
    for (uint32_t after = 0; after < 3; after++) {
        TestEnv *env = with_pool("replicas: 4");

        put_node(env, "a");
        put_node(env, "b");
        put_node(env, "c");
        put_node(env, "d");
        env_put(env, "{kind: NodePool, metadata: {name: default}, spec: {replicas: 2}}");
        env_die_after(env, after);
        env_run(env, "5m");
        assert_int_equal(goes(env, "a") + goes(env, "b") + goes(env, "c") + goes(env, "d"), 2);
        env_free(env);
    }
}
