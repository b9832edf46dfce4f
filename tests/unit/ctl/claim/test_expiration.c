// nodeclaim.expiration: reference lifecycle.md 2.9.
#include "ctl/claim/expiration.h"
#include "ctl/support/stage.h"

static Stage *expiration_stage(void) {
    return stage_new(&claim_expiration_controller, NULL);
}

static void put_expiring(Stage *stage, const char *name, const char *expire_after) {
    stage_put(stage, "{kind: NodeClaim, metadata: {name: %s}, spec: {expireAfter: %s}}", name, expire_after);
}

TEST(expire_after_counts_from_the_creation) {
    Stage *stage = expiration_stage();

    put_expiring(stage, "a", "1h");
    stage_run(stage, "30m");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [Launched, Registered]}}");
    assert_string_equal(stage_run(stage, "29m59s"), "");
    assert_string_equal(stage_run(stage, "1s"), "+1s log debug deleting expired nodeclaim NodeClaim=a Node=\n"
                                                "+1s delete nodeclaim/a\n");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    stage_free(stage);
}

TEST(expire_after_never) {
    Stage *stage = expiration_stage();

    put_expiring(stage, "a", "Never");
    assert_string_equal(stage_run(stage, "100000h"), "");
    stage_free(stage);
}

TEST(expire_after_720h_when_nothing_is_said) {
    Stage *stage = expiration_stage();

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}}");
    assert_string_equal(stage_run(stage, "719h59m59s"), "");
    assert_says(stage_run(stage, "1s"), "delete nodeclaim/a");
    stage_free(stage);
}

// No budget, no replacement, no annotation holds it.
TEST(an_expired_claim_goes_whatever_runs_on_it) {
    Stage *stage = expiration_stage();

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, annotations: {karpenter.sh/do-not-disrupt: 'true'}}, spec: "
                     "{expireAfter: 1h}, status: {providerID: 'kwok://a', nodeName: node-a}}\n---\n"
                     "{kind: Node, metadata: {name: node-a, annotations: {karpenter.sh/do-not-disrupt: 'true'}}, spec: "
                     "{providerID: 'kwok://a'}}\n---\n"
                     "{kind: Pod, metadata: {name: web, namespace: default, annotations: "
                     "{karpenter.sh/do-not-disrupt: 'true'}}, spec: {nodeName: node-a}}");
    assert_string_equal(stage_run(stage, "1h"), "+1h0m0s log debug deleting expired nodeclaim NodeClaim=a Node=node-a\n"
                                                "+1h0m0s delete nodeclaim/a\n");
    stage_free(stage);
}

// Those of one age do not go together; each waits for its own second, and is called once more for it.
TEST(one_claim_a_second) {
    Stage *stage = expiration_stage();
    const char *history;

    for (int i = 0; i < 4; i++)
        put_expiring(stage, (const char *const[]){"a", "b", "c", "d"}[i], "10m");
    history = stage_run(stage, "9m59s");
    assert_string_equal(history, "");
    stage_reconcile(stage, "a");
    stage_pass(stage, "1s");
    for (int i = 0; i < 4; i++) {
        stage_reconcile(stage, (const char *const[]){"a", "b", "c", "d"}[i]);
        stage_forget(stage);
    }
    assert_string_equal(stage_due(stage, "b"), "1s");
    assert_string_equal(stage_due(stage, "c"), "2s");
    assert_string_equal(stage_due(stage, "d"), "3s");
    assert_string_equal(stage_run(stage, "1m"), "+1s log debug deleting expired nodeclaim NodeClaim=b Node=\n"
                                                "+1s delete nodeclaim/b\n"
                                                "+2s log debug deleting expired nodeclaim NodeClaim=c Node=\n"
                                                "+2s delete nodeclaim/c\n"
                                                "+3s log debug deleting expired nodeclaim NodeClaim=d Node=\n"
                                                "+3s delete nodeclaim/d\n");
    stage_free(stage);
}

TEST(a_failed_deletion_is_tried_again) {
    Stage *stage = expiration_stage();

    stage_break(stage, INTENT_REMOVE, 3, ERR_IO, "etcd is away");
    put_expiring(stage, "a", "10m");
    assert_int_equal(stage_times(stage_run(stage, "11m"), "delete nodeclaim/a"), 4);
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    stage_free(stage);
}

TEST(a_claim_that_is_deleting_is_not_deleted_again) {
    Stage *stage = expiration_stage();

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination]}, spec: "
                     "{expireAfter: 10m}}");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

TEST(a_restart_does_not_begin_the_time_anew) {
    Stage *stage = expiration_stage();

    put_expiring(stage, "a", "1h");
    put_expiring(stage, "b", "1h");
    stage_run(stage, "59m");
    stage_restart(stage);
    assert_string_equal(stage_run(stage, "59s"), "");
    assert_int_equal(stage_times(stage_run(stage, "2s"), "delete nodeclaim"), 2);
    stage_free(stage);
}

TEST(what_expired_while_nobody_looked_goes_at_once) {
    Stage *stage = expiration_stage();

    put_expiring(stage, "a", "1h");
    stage_pass(stage, "48h");
    stage_restart(stage);
    assert_says(stage_run(stage, "0s"), "delete nodeclaim/a");
    stage_free(stage);
}

TEST(a_claim_of_another_provider_is_left_alone) {
    Stage *stage = expiration_stage();

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, spec: {expireAfter: 10m, nodeClassRef: {group: "
                     "karpenter.k8s.aws, kind: EC2NodeClass, name: default}}}");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}
