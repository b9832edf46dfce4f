// nodeclaim.expiration: reference lifecycle.md 2.9.
#include "ctl/claim/expiration.h"
#include "ctl/support/env.h"

static TestEnv *expiration_env(void) {
    return env_new(&claim_expiration_controller, NULL);
}

static void put_expiring(TestEnv *env, const char *name, const char *expire_after) {
    env_put(env, "{kind: NodeClaim, metadata: {name: %s}, spec: {expireAfter: %s}}", name, expire_after);
}

TEST(expire_after_counts_from_the_creation) {
    TestEnv *env = expiration_env();

    put_expiring(env, "a", "1h");
    env_run(env, "30m");
    env_put(env, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [Launched, Registered]}}");
    assert_string_equal(env_run(env, "29m59s"), "");
    assert_string_equal(env_run(env, "1s"), "+1s log debug deleting expired nodeclaim NodeClaim=a Node=\n"
                                            "+1s delete nodeclaim/a\n");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_free(env);
}

TEST(expire_after_never) {
    TestEnv *env = expiration_env();

    put_expiring(env, "a", "Never");
    assert_string_equal(env_run(env, "100000h"), "");
    env_free(env);
}

TEST(expire_after_720h_when_nothing_is_said) {
    TestEnv *env = expiration_env();

    env_put(env, "{kind: NodeClaim, metadata: {name: a}}");
    assert_string_equal(env_run(env, "719h59m59s"), "");
    assert_says(env_run(env, "1s"), "delete nodeclaim/a");
    env_free(env);
}

// Most claims go long before they expire: thirty days of them must not wait in the queue.
TEST(a_claim_that_is_gone_waits_for_nothing) {
    TestEnv *env = expiration_env();

    env_put(env, "{kind: NodeClaim, metadata: {name: a}}");
    env_run(env, "1m");
    env_remove(env, KUBE_NODE_CLAIM, "a");
    assert_string_equal(env_run(env, "1h"), "");
    assert_string_equal(env_due(env, "a"), "never");
    env_free(env);
}

// Neither budgets nor do-not-disrupt keep an expired claim.
TEST(an_expired_claim_goes_whatever_runs_on_it) {
    TestEnv *env = expiration_env();

    env_put(env, "{kind: NodeClaim, metadata: {name: a, annotations: {karpenter.sh/do-not-disrupt: 'true'}}, spec: "
                 "{expireAfter: 1h}, status: {providerID: 'kwok://a', nodeName: node-a}}\n---\n"
                 "{kind: Node, metadata: {name: node-a, annotations: {karpenter.sh/do-not-disrupt: 'true'}}, spec: "
                 "{providerID: 'kwok://a'}}\n---\n"
                 "{kind: Pod, metadata: {name: web, namespace: default, annotations: "
                 "{karpenter.sh/do-not-disrupt: 'true'}}, spec: {nodeName: node-a}}");
    assert_string_equal(env_run(env, "1h"), "+1h0m0s log debug deleting expired nodeclaim NodeClaim=a Node=node-a\n"
                                            "+1h0m0s delete nodeclaim/a\n");
    env_free(env);
}

// Claims of one age are not deleted together: each is enqueued again for a second of its own.
TEST(one_claim_a_second) {
    TestEnv *env = expiration_env();
    const char *history;

    for (int i = 0; i < 4; i++)
        put_expiring(env, (const char *const[]){"a", "b", "c", "d"}[i], "10m");
    history = env_run(env, "9m59s");
    assert_string_equal(history, "");
    env_reconcile(env, "a");
    env_pass(env, "1s");
    for (int i = 0; i < 4; i++) {
        env_reconcile(env, (const char *const[]){"a", "b", "c", "d"}[i]);
        env_forget(env);
    }
    assert_string_equal(env_due(env, "b"), "1s");
    assert_string_equal(env_due(env, "c"), "2s");
    assert_string_equal(env_due(env, "d"), "3s");
    assert_string_equal(env_run(env, "1m"), "+1s log debug deleting expired nodeclaim NodeClaim=b Node=\n"
                                            "+1s delete nodeclaim/b\n"
                                            "+2s log debug deleting expired nodeclaim NodeClaim=c Node=\n"
                                            "+2s delete nodeclaim/c\n"
                                            "+3s log debug deleting expired nodeclaim NodeClaim=d Node=\n"
                                            "+3s delete nodeclaim/d\n");
    env_free(env);
}

TEST(a_failed_deletion_is_tried_again) {
    TestEnv *env = expiration_env();

    env_break(env, INTENT_REMOVE, 3, ERR_IO, "etcd is away");
    put_expiring(env, "a", "10m");
    assert_int_equal(env_times(env_run(env, "11m"), "delete nodeclaim/a"), 4);
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_free(env);
}

TEST(a_claim_that_is_deleting_is_not_deleted_again) {
    TestEnv *env = expiration_env();

    env_put(env, "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination]}, spec: "
                 "{expireAfter: 10m}}");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(a_restart_does_not_begin_the_time_anew) {
    TestEnv *env = expiration_env();

    put_expiring(env, "a", "1h");
    put_expiring(env, "b", "1h");
    env_run(env, "59m");
    env_restart(env);
    assert_string_equal(env_run(env, "59s"), "");
    assert_int_equal(env_times(env_run(env, "2s"), "delete nodeclaim"), 2);
    env_free(env);
}

TEST(claims_that_expired_during_downtime_are_deleted_at_once) {
    TestEnv *env = expiration_env();

    put_expiring(env, "a", "1h");
    env_pass(env, "48h");
    env_restart(env);
    assert_says(env_run(env, "0s"), "delete nodeclaim/a");
    env_free(env);
}

TEST(a_claim_of_another_provider_is_left_alone) {
    TestEnv *env = expiration_env();

    env_put(env, "{kind: NodeClaim, metadata: {name: a}, spec: {expireAfter: 10m, nodeClassRef: {group: "
                 "karpenter.k8s.aws, kind: EC2NodeClass, name: default}}}");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}
