// nodeclaim.lifecycle, registration: reference lifecycle.md 2.4.
#include "ctl/support/claim_stage.h"

static const char *registered(Stage *stage) {
    return stage_condition(stage, KUBE_NODE_CLAIM, "a", "Registered");
}

static const char *node_part(Stage *stage, const char *part) {
    return stage_part(stage, KUBE_NODE, "node-a", part);
}

// --- how many Nodes

TEST(no_node) {
    Stage *stage = claim_stage_launched("");

    assert_string_equal(registered(stage), "Unknown/NodeNotFound: Node not registered with cluster");
    stage_free(stage);
}

TEST(several_nodes) {
    Stage *stage = claim_stage_launched("");

    stage_put(stage, "{kind: Node, metadata: {name: one}, spec: {providerID: 'kwok://a'}}\n---\n"
                     "{kind: Node, metadata: {name: two}, spec: {providerID: 'kwok://a'}}");
    stage_run(stage, "1s");
    assert_string_equal(registered(stage), "False/MultipleNodesFound: Invariant violated, matched multiple nodes");
    assert_says(stage_condition(stage, KUBE_NODE_CLAIM, "a", "Ready"), "False/UnhealthyDependents");
    stage_remove(stage, KUBE_NODE, "two"); // terminal: it does not recover
    stage_run(stage, "1m");
    assert_says(registered(stage), "False/MultipleNodesFound");
    assert_says(stage_run(stage, "14m"), "reason=registration_timeout");
    stage_free(stage);
}

TEST(another_node_is_no_matter) {
    Stage *stage = claim_stage_launched("");

    stage_put(stage, "{kind: Node, metadata: {name: other}, spec: {providerID: 'kwok://b'}}");
    assert_string_equal(stage_run(stage, "1m"), "");
    stage_free(stage);
}

TEST(a_node_that_is_deleted_is_not_registered) {
    Stage *stage = claim_stage_launched("");

    put_joining_node(stage, "finalizers: [example.com/hold]");
    stage_delete(stage, KUBE_NODE, "node-a");
    stage_run(stage, "1s");
    assert_says(registered(stage), "Unknown/NodeNotFound");
    assert_string_equal(node_part(stage, "metadata.finalizers"), "[\"example.com/hold\"]");
    stage_free(stage);
}

// --- one Node

TEST(one_node) {
    Stage *stage = claim_stage_launched("");
    const char *history;

    put_joining_node(stage, "");
    history = stage_run(stage, "1s");
    assert_string_equal(registered(stage), "True/Registered");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", "status.nodeName"), "\"node-a\"");
    assert_string_equal(node_part(stage, "metadata.labels.'karpenter.sh/registered'"), "\"true\"");
    assert_says(node_part(stage, "metadata.finalizers"), "karpenter.sh/termination");
    assert_does_not_say(node_part(stage, "spec.taints"), "karpenter.sh/unregistered");
    assert_int_equal(stage_times(history, "log info registered nodeclaim NodeClaim=a provider-id=kwok://a Node=node-a"),
                     1);
    assert_does_not_say(history, "UnregisteredTaintMissing");
    stage_free(stage);
}

TEST(the_node_is_written_before_the_claim) {
    Stage *stage = claim_stage_launched("");

    put_joining_node(stage, "");
    stage_reconcile(stage, "a");
    stage_fail(stage, 0, ERR_IO, "etcd is away");
    assert_says(registered(stage), "Unknown");
    stage_run(stage, "2s");
    assert_string_equal(registered(stage), "True/Registered");
    stage_free(stage);
}

TEST(the_claim_owns_the_node) {
    Stage *stage = claim_stage_launched("");
    Value claim, node, *owner;

    put_joining_node(stage, "");
    stage_run(stage, "1s");
    claim = stage_get(stage, KUBE_NODE_CLAIM, "a");
    node = stage_get(stage, KUBE_NODE, "node-a");
    owner = &((Value *)(uintptr_t)value_at(&node, "metadata", "ownerReferences", NULL))->list.items[0];
    assert_true(slice_eq(kube_text(owner, "uid", NULL), kube_uid(&claim)));
    assert_true(slice_eq_text(kube_text(owner, "kind", NULL), "NodeClaim"));
    assert_true(value_get_text(owner, "blockOwnerDeletion")->boolean);
    stage_free(stage);
}

TEST(owners_and_finalizers_of_others_stay) {
    Stage *stage = claim_stage_launched("");

    stage_put(stage, "{kind: NodePool, metadata: {name: pool}}");
    put_joining_node(stage, "finalizers: [example.com/hold]");
    stage_run(stage, "1s");
    assert_says(node_part(stage, "metadata.finalizers"), "example.com/hold");
    assert_says(node_part(stage, "metadata.finalizers"), "karpenter.sh/termination");
    stage_free(stage);
}

TEST(labels_and_annotations_of_the_claim_win) {
    Stage *stage = claim_stage();

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, labels: {team: shop}, annotations: {note: claim}}}");
    stage_run(stage, "1s");
    put_joining_node(stage, "labels: {team: node, own: 'yes'}, annotations: {note: node}");
    stage_run(stage, "1s");
    assert_string_equal(node_part(stage, "metadata.labels.team"), "\"shop\"");
    assert_string_equal(node_part(stage, "metadata.labels.own"), "\"yes\"");
    assert_string_equal(node_part(stage, "metadata.annotations.note"), "\"claim\"");
    stage_free(stage);
}

TEST(taints_and_startup_taints_are_added) {
    Stage *stage = claim_stage_launched("taints: [{key: dedicated, value: gpu, effect: NoSchedule}], startupTaints: "
                                        "[{key: cilium, effect: NoExecute}]");

    put_joining_node(stage, "");
    stage_run(stage, "1s");
    assert_says(node_part(stage, "spec.taints"), "{\"key\":\"dedicated\",\"value\":\"gpu\",\"effect\":\"NoSchedule\"}");
    assert_says(node_part(stage, "spec.taints"), "{\"key\":\"cilium\",\"effect\":\"NoExecute\"}");
    stage_free(stage);
}

// By key and effect: the value that is there stays.
TEST(taints_that_are_there_stay) {
    Stage *stage = claim_stage_launched("taints: [{key: dedicated, value: gpu, effect: NoSchedule}]");

    stage_put(stage, "{kind: Node, metadata: {name: node-a}, spec: {providerID: 'kwok://a', taints: [{key: dedicated, "
                     "value: mine, effect: NoSchedule}, {key: karpenter.sh/unregistered, effect: NoExecute}]}}");
    stage_run(stage, "1s");
    assert_says(node_part(stage, "spec.taints"), "mine");
    assert_does_not_say(node_part(stage, "spec.taints"), "gpu");
    stage_free(stage);
}

TEST(do_not_sync_taints) {
    Stage *stage = claim_stage_launched("taints: [{key: dedicated, effect: NoSchedule}]");

    put_joining_node(stage, "labels: {karpenter.sh/do-not-sync-taints: 'true'}");
    stage_run(stage, "1s");
    assert_string_equal(registered(stage), "True/Registered");
    assert_does_not_say(node_part(stage, "spec.taints"), "dedicated");
    assert_does_not_say(node_part(stage, "spec.taints"), "unregistered");
    stage_free(stage);
}

TEST(unregistered_taint_missing) {
    Stage *stage = claim_stage_launched("");
    const char *history;

    stage_put(stage, "{kind: Node, metadata: {name: node-a}, spec: {providerID: 'kwok://a'}}");
    history = stage_run(stage, "1s");
    assert_int_equal(
        stage_times(history, "event Warning nodeclaim/a UnregisteredTaintMissing: Missing karpenter.sh/unregistered "
                             "taint which prevents registration related race conditions on Karpenter-managed nodes"),
        1);
    assert_says(history, "log error node claim registration error NodeClaim=a taint=karpenter.sh/unregistered");
    assert_string_equal(registered(stage), "True/Registered"); // all the same
    stage_free(stage);
}

// A fast Node: were it registered in the pass that writes the launch down, a process that dies between the two writes
// would leave a Node with pods whose claim does not know its instance.
TEST(a_node_that_is_faster_than_the_status_waits_for_it) {
    Stage *stage = claim_stage();
    const char *texts;

    put_claim(stage, "");
    for (int i = 0; i < 3; i++) { // finalizer, launch, labels
        stage_reconcile(stage, "a");
        stage_carry_out(stage);
    }
    put_joining_node(stage, "");
    texts = stage_reconcile(stage, "a");
    assert_says(texts, "patch nodeclaim/a status locked");
    assert_does_not_say(texts, "patch node/");
    stage_carry_out(stage);
    assert_says(registered(stage), "Unknown/NodeNotFound");
    stage_run(stage, "0s");
    assert_string_equal(registered(stage), "True/Registered");
    stage_free(stage);
}

// --- once

TEST(nothing_is_synced_again_later) {
    Stage *stage = claim_stage_registered("startupTaints: [{key: cilium, effect: NoExecute}]");

    stage_put(stage, "{kind: Node, metadata: {name: node-a, labels: {team: null}}, spec: {taints: null}}");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, labels: {team: late}}}");
    assert_does_not_say(stage_run(stage, "1m"), "cilium");
    assert_string_equal(node_part(stage, "metadata.labels.team"), "");
    stage_free(stage);
}

// The process dies after the Node was written; a startup taint is lifted before the next one looks.
TEST(a_lifted_startup_taint_does_not_come_back) {
    Stage *stage = claim_stage_launched("startupTaints: [{key: cilium, effect: NoExecute}]");

    put_joining_node(stage, "");
    stage_reconcile(stage, "a");
    stage_fail(stage, 1, ERR_IO, "the status is not written");
    assert_says(node_part(stage, "spec.taints"), "cilium");
    stage_put(stage, "{kind: Node, metadata: {name: node-a}, spec: {taints: null}}");
    stage_restart(stage);
    stage_run(stage, "1m");
    assert_string_equal(registered(stage), "True/Registered");
    assert_does_not_say(node_part(stage, "spec.taints"), "cilium");
    stage_free(stage);
}

TEST(a_conflict_on_the_node_is_tried_again) {
    Stage *stage = claim_stage_launched("");

    put_joining_node(stage, "");
    stage_put_unseen(stage, "{kind: Node, metadata: {name: node-a, labels: {late: 'yes'}}}");
    assert_says(stage_reconcile(stage, "a"), "patch node/node-a locked");
    stage_carry_out(stage);
    assert_says(registered(stage), "Unknown");
    stage_run(stage, "2s");
    assert_string_equal(registered(stage), "True/Registered");
    assert_string_equal(node_part(stage, "metadata.labels.late"), "\"yes\"");
    stage_free(stage);
}
