// nodeclaim.lifecycle, registration: reference lifecycle.md 2.4.
#include "ctl/support/claim_env.h"

static const char *registered(TestEnv *env) {
    return env_condition(env, KUBE_NODE_CLAIM, "a", "Registered");
}

static const char *node_part(TestEnv *env, const char *part) {
    return env_part(env, KUBE_NODE, "node-a", part);
}

// --- how many Nodes

TEST(no_node) {
    TestEnv *env = claim_env_launched("");

    assert_string_equal(registered(env), "Unknown/NodeNotFound: Node not registered with cluster");
    env_free(env);
}

// R055: which of two Nodes would be its own?
TEST(several_nodes) {
    TestEnv *env = claim_env_launched("");

    env_put(env, "{kind: Node, metadata: {name: one}, spec: {providerID: 'kwok://a'}}\n---\n"
                 "{kind: Node, metadata: {name: two}, spec: {providerID: 'kwok://a'}}");
    env_run(env, "1s");
    assert_string_equal(registered(env), "False/MultipleNodesFound: Invariant violated, matched multiple nodes");
    assert_says(env_condition(env, KUBE_NODE_CLAIM, "a", "Ready"), "False/UnhealthyDependents");
    env_remove(env, KUBE_NODE, "two"); // terminal: it does not recover
    env_run(env, "1m");
    assert_says(registered(env), "False/MultipleNodesFound");
    assert_says(env_run(env, "14m"), "reason=registration_timeout");
    env_free(env);
}

TEST(another_node_is_no_matter) {
    TestEnv *env = claim_env_launched("");

    env_put(env, "{kind: Node, metadata: {name: other}, spec: {providerID: 'kwok://b'}}");
    assert_does_not_say(env_run(env, "1m"), "patch");
    env_free(env);
}

TEST(a_node_that_is_deleted_is_not_registered) {
    TestEnv *env = claim_env_launched("");

    put_joining_node(env, "finalizers: [example.com/hold]");
    env_delete(env, KUBE_NODE, "node-a");
    env_run(env, "1s");
    assert_says(registered(env), "Unknown/NodeNotFound");
    assert_string_equal(node_part(env, "metadata.finalizers"), "[\"example.com/hold\"]");
    env_free(env);
}

// --- one Node

TEST(one_node) {
    TestEnv *env = claim_env_launched("");
    const char *history;

    put_joining_node(env, "");
    history = env_run(env, "1s");
    assert_string_equal(registered(env), "True/Registered");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "status.nodeName"), "\"node-a\"");
    assert_string_equal(node_part(env, "metadata.labels.'karpenter.sh/registered'"), "\"true\"");
    assert_says(node_part(env, "metadata.finalizers"), "karpenter.sh/termination");
    assert_does_not_say(node_part(env, "spec.taints"), "karpenter.sh/unregistered");
    assert_int_equal(env_times(history, "log info registered nodeclaim NodeClaim=a provider-id=kwok://a Node=node-a"),
                     1);
    assert_does_not_say(history, "UnregisteredTaintMissing");
    env_free(env);
}

TEST(the_node_is_written_before_the_claim) {
    TestEnv *env = claim_env_launched("");

    put_joining_node(env, "");
    env_reconcile(env, "a");
    env_fail(env, 0, ERR_IO, "etcd is away");
    assert_says(registered(env), "Unknown");
    env_run(env, "2s");
    assert_string_equal(registered(env), "True/Registered");
    env_free(env);
}

TEST(the_claim_owns_the_node) {
    TestEnv *env = claim_env_launched("");
    Value claim, node, *owner;

    put_joining_node(env, "");
    env_run(env, "1s");
    claim = env_get(env, KUBE_NODE_CLAIM, "a");
    node = env_get(env, KUBE_NODE, "node-a");
    owner = &((Value *)(uintptr_t)value_at(&node, "metadata", "ownerReferences", NULL))->list.items[0];
    assert_true(slice_eq(kube_text(owner, "uid", NULL), kube_uid(&claim)));
    assert_true(slice_eq_text(kube_text(owner, "kind", NULL), "NodeClaim"));
    assert_true(value_get_text(owner, "blockOwnerDeletion")->boolean);
    env_free(env);
}

TEST(owners_and_finalizers_of_others_stay) {
    TestEnv *env = claim_env_launched("");

    env_put(env, "{kind: NodePool, metadata: {name: pool}}");
    put_joining_node(env, "finalizers: [example.com/hold]");
    env_run(env, "1s");
    assert_says(node_part(env, "metadata.finalizers"), "example.com/hold");
    assert_says(node_part(env, "metadata.finalizers"), "karpenter.sh/termination");
    env_free(env);
}

TEST(labels_and_annotations_of_the_claim_win) {
    TestEnv *env = claim_env();

    env_put(env, "{kind: NodeClaim, metadata: {name: a, labels: {team: shop}, annotations: {note: claim}}}");
    env_run(env, "1s");
    put_joining_node(env, "labels: {team: node, own: 'yes'}, annotations: {note: node}");
    env_run(env, "1s");
    assert_string_equal(node_part(env, "metadata.labels.team"), "\"shop\"");
    assert_string_equal(node_part(env, "metadata.labels.own"), "\"yes\"");
    assert_string_equal(node_part(env, "metadata.annotations.note"), "\"claim\"");
    env_free(env);
}

TEST(taints_and_startup_taints_are_added) {
    TestEnv *env = claim_env_launched("taints: [{key: dedicated, value: gpu, effect: NoSchedule}], startupTaints: "
                                      "[{key: cilium, effect: NoExecute}]");

    put_joining_node(env, "");
    env_run(env, "1s");
    assert_says(node_part(env, "spec.taints"), "{\"key\":\"dedicated\",\"value\":\"gpu\",\"effect\":\"NoSchedule\"}");
    assert_says(node_part(env, "spec.taints"), "{\"key\":\"cilium\",\"effect\":\"NoExecute\"}");
    env_free(env);
}

// Taints are compared by key and effect, so an existing value stays.
TEST(taints_that_are_there_stay) {
    TestEnv *env = claim_env_launched("taints: [{key: dedicated, value: gpu, effect: NoSchedule}]");

    env_put(env, "{kind: Node, metadata: {name: node-a}, spec: {providerID: 'kwok://a', taints: [{key: dedicated, "
                 "value: mine, effect: NoSchedule}, {key: karpenter.sh/unregistered, effect: NoExecute}]}}");
    env_run(env, "1s");
    assert_says(node_part(env, "spec.taints"), "mine");
    assert_does_not_say(node_part(env, "spec.taints"), "gpu");
    env_free(env);
}

TEST(do_not_sync_taints) {
    TestEnv *env = claim_env_launched("taints: [{key: dedicated, effect: NoSchedule}]");

    put_joining_node(env, "labels: {karpenter.sh/do-not-sync-taints: 'true'}");
    env_run(env, "1s");
    assert_string_equal(registered(env), "True/Registered");
    assert_does_not_say(node_part(env, "spec.taints"), "dedicated");
    assert_does_not_say(node_part(env, "spec.taints"), "unregistered");
    env_free(env);
}

TEST(unregistered_taint_missing) {
    TestEnv *env = claim_env_launched("");
    const char *history;

    env_put(env, "{kind: Node, metadata: {name: node-a}, spec: {providerID: 'kwok://a'}}");
    history = env_run(env, "1s");
    assert_int_equal(env_times(history,
                               "event Warning nodeclaim/a UnregisteredTaintMissing: Missing karpenter.sh/unregistered "
                               "taint which prevents registration related race conditions on Karpenter-managed nodes"),
                     1);
    assert_says(history, "log error node claim registration error NodeClaim=a taint=karpenter.sh/unregistered");
    assert_string_equal(registered(env), "True/Registered"); // all the same
    env_free(env);
}

// If a Node that joins early were registered in the pass that records the launch, a process that dies between the two
// writes would leave a Node with pods whose claim has no providerID.
TEST(a_node_that_is_faster_than_the_status_waits_for_it) {
    TestEnv *env = claim_env();
    const char *texts;

    put_claim(env, "");
    for (int i = 0; i < 3; i++) { // finalizer, launch, labels
        env_reconcile(env, "a");
        env_carry_out(env);
    }
    put_joining_node(env, "");
    texts = env_reconcile(env, "a");
    assert_says(texts, "patch nodeclaim/a status locked");
    assert_does_not_say(texts, "patch node/");
    env_carry_out(env);
    assert_says(registered(env), "Unknown/NodeNotFound");
    env_run(env, "0s");
    assert_string_equal(registered(env), "True/Registered");
    env_free(env);
}

// --- once

TEST(nothing_is_synced_again_later) {
    TestEnv *env = claim_env_registered("startupTaints: [{key: cilium, effect: NoExecute}]");

    env_put(env, "{kind: Node, metadata: {name: node-a, labels: {team: null}}, spec: {taints: null}}");
    env_put(env, "{kind: NodeClaim, metadata: {name: a, labels: {team: late}}}");
    assert_does_not_say(env_run(env, "1m"), "cilium");
    assert_string_equal(node_part(env, "metadata.labels.team"), "");
    env_free(env);
}

// The process dies after the Node was written, and a startup taint is removed before the next process starts.
TEST(a_lifted_startup_taint_does_not_come_back) {
    TestEnv *env = claim_env_launched("startupTaints: [{key: cilium, effect: NoExecute}]");

    put_joining_node(env, "");
    env_reconcile(env, "a");
    env_fail(env, 1, ERR_IO, "the status is not written");
    assert_says(node_part(env, "spec.taints"), "cilium");
    env_put(env, "{kind: Node, metadata: {name: node-a}, spec: {taints: null}}");
    env_restart(env);
    env_run(env, "1m");
    assert_string_equal(registered(env), "True/Registered");
    assert_does_not_say(node_part(env, "spec.taints"), "cilium");
    env_free(env);
}

TEST(a_conflict_on_the_node_is_tried_again) {
    TestEnv *env = claim_env_launched("");

    put_joining_node(env, "");
    env_put_unseen(env, "{kind: Node, metadata: {name: node-a, labels: {late: 'yes'}}}");
    assert_says(env_reconcile(env, "a"), "patch node/node-a locked");
    env_carry_out(env);
    assert_says(registered(env), "Unknown");
    env_run(env, "2s");
    assert_string_equal(registered(env), "True/Registered");
    assert_string_equal(node_part(env, "metadata.labels.late"), "\"yes\"");
    env_free(env);
}
