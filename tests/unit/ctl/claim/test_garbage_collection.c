// nodeclaim.garbagecollection: reference lifecycle.md 2.10, and a cloud whose descriptions lag.
#include "ctl/claim/garbage_collection.h"
#include "ctl/support/env.h"

static TestEnv *collection_env(void) {
    return env_new(&claim_collection_controller, NULL);
}

// A claim that was registered just now, with the instance "kwok://<name>" behind it, or without.
static void put_registered(TestEnv *env, const char *name, bool instance) {
    char id[32];

    snprintf(id, sizeof id, "kwok://%s", name);
    if (instance)
        env_add_instance(env, id);
    env_put(env,
            "{kind: NodeClaim, metadata: {name: %s}, status: {providerID: '%s', nodeName: node-%s, "
            "conditions: [Launched, Registered]}}",
            name, id, name);
}

static void put_node(TestEnv *env, const char *name, const char *ready) {
    env_put(env,
            "{kind: Node, metadata: {name: node-%s}, spec: {providerID: 'kwok://%s'}, status: {conditions: "
            "[Ready=%s/Kubelet]}}",
            name, name, ready);
}

TEST(every_2_minutes) {
    TestEnv *env = collection_env();

    assert_string_equal(env_run(env, "6m"), "+0s list-instances\n+2m0s list-instances\n+4m0s list-instances\n"
                                            "+6m0s list-instances\n");
    env_free(env);
}

TEST(a_registered_claim_without_instance_goes) {
    TestEnv *env = collection_env();

    env_run(env, "1m");
    put_registered(env, "a", false);
    put_registered(env, "b", true);
    assert_string_equal(env_run(env, "1m"),
                        "+1m0s list-instances\n"
                        "+1m0s get-instance kwok://a\n"
                        "+1m0s log debug garbage collecting nodeclaim with no cloudprovider representation NodeClaim=a "
                        "Node=node-a provider-id=kwok://a\n"
                        "+1m0s delete nodeclaim/a\n");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_true(env_has(env, KUBE_NODE_CLAIM, "b"));
    env_free(env);
}

// An instance that is shutting down counts as missing, without a Get.
TEST(a_terminating_instance_counts_as_missing) {
    TestEnv *env = collection_env();
    const char *history;

    env_run(env, "1m");
    put_registered(env, "a", true);
    env_instance(env, "kwok://a")->terminating = true;
    env_instance(env, "kwok://a")->gone_ns = env_now_ns(env) + NS_PER_HOUR;
    history = env_run(env, "1m");
    assert_says(history, "delete nodeclaim/a");
    assert_does_not_say(history, "get-instance");
    env_free(env);
}

TEST(a_missing_node_does_not_prevent_it) {
    TestEnv *env = collection_env();

    put_registered(env, "a", false); // its nodeName is of no Node
    assert_says(env_run(env, "2m"), "delete nodeclaim/a");
    env_free(env);
}

TEST(a_node_that_is_not_ready_does_not_prevent_it) {
    TestEnv *env = collection_env();

    put_registered(env, "a", false);
    put_node(env, "a", "Unknown");
    assert_says(env_run(env, "2m"), "delete nodeclaim/a");
    env_free(env);
}

TEST(a_ready_node_prevents_it) {
    TestEnv *env = collection_env();

    put_registered(env, "a", false);
    put_node(env, "a", "True");
    assert_does_not_say(env_run(env, "10m"), "nodeclaim");
    env_put(env, "{kind: Node, metadata: {name: node-a}, status: {conditions: [Ready=False/Kubelet]}}");
    assert_says(env_run(env, "2m"), "delete nodeclaim/a");
    env_free(env);
}

TEST(a_claim_that_is_not_registered_stays) {
    TestEnv *env = collection_env();

    env_put(env, "{kind: NodeClaim, metadata: {name: a}, status: {providerID: 'kwok://a', conditions: [Launched, "
                 "Registered=Unknown/NodeNotFound]}}\n---\n{kind: NodeClaim, metadata: {name: b}}");
    assert_does_not_say(env_run(env, "10m"), "nodeclaim");
    env_free(env);
}

TEST(a_claim_that_is_deleting_is_not_deleted_again) {
    TestEnv *env = collection_env();

    put_registered(env, "a", false);
    env_put(env, "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination]}}");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    assert_does_not_say(env_run(env, "10m"), "nodeclaim");
    env_free(env);
}

TEST(a_claim_of_another_provider_is_left_alone) {
    TestEnv *env = collection_env();

    env_put(env, "{kind: NodeClaim, metadata: {name: a}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: "
                 "EC2NodeClass, name: default}}, status: {providerID: 'aws:///a', conditions: [Launched, "
                 "Registered]}}");
    assert_does_not_say(env_run(env, "10m"), "nodeclaim");
    env_free(env);
}

// --- descriptions that lag

TEST(an_instance_younger_than_30_s_is_not_missed) {
    TestEnv *env = collection_env();

    env_run(env, "1m31s");
    put_registered(env, "a", false); // 29 s before the next list
    assert_string_equal(env_run(env, "29s"), "+29s list-instances\n");
    assert_says(env_run(env, "2m"), "delete nodeclaim/a");
    env_free(env);
}

TEST(an_instance_that_the_list_does_not_show_yet_is_asked_for) {
    TestEnv *env = collection_env();
    const char *history;

    env_cloud(env)->list_lag_ns = 240 * NS_PER_S;
    put_registered(env, "a", true);
    history = env_run(env, "10m");
    assert_says(history, "+2m0s list-instances\n+2m0s get-instance kwok://a\n");
    assert_int_equal(env_times(history, "get-instance"), 1);
    assert_does_not_say(history, "delete");
    env_free(env);
}

// An instance that is in the list exists, whatever a Get says.
TEST(an_instance_that_only_the_list_shows_is_there) {
    TestEnv *env = collection_env();

    env_break(env, INTENT_GET_INSTANCE, 100, ERR_NOT_FOUND, "instance not found");
    put_registered(env, "a", true);
    assert_does_not_say(env_run(env, "10m"), "delete");
    env_free(env);
}

TEST(an_answer_that_is_no_answer_leaves_it_for_the_next_round) {
    TestEnv *env = collection_env();
    const char *history;

    env_break(env, INTENT_GET_INSTANCE, 1, ERR_THROTTLED, "RequestLimitExceeded");
    put_registered(env, "a", false);
    history = env_run(env, "4m");
    assert_says(history, "+2m0s log error Reconciler error error=RequestLimitExceeded");
    assert_says(history, "+4m0s delete nodeclaim/a");
    env_free(env);
}

// The list was requested before the claim registered.
TEST(a_claim_that_registered_after_the_list_is_not_judged_by_it) {
    TestEnv *env = collection_env();

    env_put(env, "{kind: NodeClaim, metadata: {name: a}, status: {providerID: 'kwok://a', conditions: [Launched]}}");
    env_pass(env, "5m");
    env_reconcile(env, "");
    env_pass(env, "2s");
    env_put(env, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [{type: Launched, status: 'True', "
                 "reason: Launched, lastTransitionTime: '2026-01-05T00:00:00Z'}, Registered]}}");
    env_carry_out(env);
    assert_true(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_pass(env, "2m");
    env_reconcile(env, "");
    env_carry_out(env);
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_free(env);
}

// --- failures

TEST(a_list_that_fails_is_asked_for_again) {
    TestEnv *env = collection_env();
    const char *history;

    put_registered(env, "a", true);
    env_break(env, INTENT_LIST_INSTANCES, 2, ERR_IO, "no network");
    history = env_run(env, "1m59s");
    assert_int_equal(env_times(history, "list-instances"), 3);
    assert_int_equal(env_times(history, "log error Reconciler error error=no network"), 2);
    assert_true(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_free(env);
}

TEST(a_deletion_that_fails_stops_no_other) {
    TestEnv *env = collection_env();
    const char *history;

    put_registered(env, "a", false);
    put_registered(env, "b", false);
    env_break(env, INTENT_REMOVE, 1, ERR_IO, "etcd is away");
    history = env_run(env, "2m");
    assert_says(history, "log error Reconciler error error=etcd is away");
    assert_int_equal(env_count(env, KUBE_NODE_CLAIM), 1);
    env_run(env, "2m");
    assert_int_equal(env_count(env, KUBE_NODE_CLAIM), 0);
    env_free(env);
}

TEST(a_restart_repeats_the_list) {
    TestEnv *env = collection_env();

    put_registered(env, "a", false);
    env_pass(env, "1m");
    env_die_after(env, 1); // the list's answer is lost
    assert_says(env_run(env, "0s"), "+0s list-instances\n+0s list-instances\n+0s get-instance kwok://a\n");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_free(env);
}
