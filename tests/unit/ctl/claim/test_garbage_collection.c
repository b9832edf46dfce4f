// nodeclaim.garbagecollection: reference lifecycle.md 2.10, and a cloud whose descriptions lag.
#include "ctl/claim/garbage_collection.h"
#include "ctl/support/stage.h"

static Stage *collection_stage(void) {
    return stage_new(&claim_collection_controller, NULL);
}

// A claim that was registered just now, with the instance "kwok://<name>" behind it, or without.
static void put_registered(Stage *stage, const char *name, bool instance) {
    char id[32];

    snprintf(id, sizeof id, "kwok://%s", name);
    if (instance)
        stage_add_instance(stage, id);
    stage_put(stage,
              "{kind: NodeClaim, metadata: {name: %s}, status: {providerID: '%s', nodeName: node-%s, "
              "conditions: [Launched, Registered]}}",
              name, id, name);
}

static void put_node(Stage *stage, const char *name, const char *ready) {
    stage_put(stage,
              "{kind: Node, metadata: {name: node-%s}, spec: {providerID: 'kwok://%s'}, status: {conditions: "
              "[Ready=%s/Kubelet]}}",
              name, name, ready);
}

TEST(every_2_minutes) {
    Stage *stage = collection_stage();

    assert_string_equal(stage_run(stage, "6m"), "+0s list-instances\n+2m0s list-instances\n+4m0s list-instances\n"
                                                "+6m0s list-instances\n");
    stage_free(stage);
}

TEST(a_registered_claim_without_instance_goes) {
    Stage *stage = collection_stage();

    stage_run(stage, "1m");
    put_registered(stage, "a", false);
    put_registered(stage, "b", true);
    assert_string_equal(stage_run(stage, "1m"),
                        "+1m0s list-instances\n"
                        "+1m0s get-instance kwok://a\n"
                        "+1m0s log debug garbage collecting nodeclaim with no cloudprovider representation NodeClaim=a "
                        "Node=node-a provider-id=kwok://a\n"
                        "+1m0s delete nodeclaim/a\n");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_true(stage_has(stage, KUBE_NODE_CLAIM, "b"));
    stage_free(stage);
}

// An instance that is on its way down is as good as gone: nobody needs to ask for it.
TEST(a_terminating_instance_counts_as_missing) {
    Stage *stage = collection_stage();
    const char *history;

    stage_run(stage, "1m");
    put_registered(stage, "a", true);
    stage_instance(stage, "kwok://a")->terminating = true;
    stage_instance(stage, "kwok://a")->gone_ns = stage_now_ns(stage) + NS_PER_HOUR;
    history = stage_run(stage, "1m");
    assert_says(history, "delete nodeclaim/a");
    assert_does_not_say(history, "get-instance");
    stage_free(stage);
}

TEST(a_missing_node_does_not_prevent_it) {
    Stage *stage = collection_stage();

    put_registered(stage, "a", false); // its nodeName names nobody
    assert_says(stage_run(stage, "2m"), "delete nodeclaim/a");
    stage_free(stage);
}

TEST(a_node_that_is_not_ready_does_not_prevent_it) {
    Stage *stage = collection_stage();

    put_registered(stage, "a", false);
    put_node(stage, "a", "Unknown");
    assert_says(stage_run(stage, "2m"), "delete nodeclaim/a");
    stage_free(stage);
}

TEST(a_ready_node_prevents_it) {
    Stage *stage = collection_stage();

    put_registered(stage, "a", false);
    put_node(stage, "a", "True");
    assert_does_not_say(stage_run(stage, "10m"), "nodeclaim");
    stage_put(stage, "{kind: Node, metadata: {name: node-a}, status: {conditions: [Ready=False/Kubelet]}}");
    assert_says(stage_run(stage, "2m"), "delete nodeclaim/a");
    stage_free(stage);
}

TEST(a_claim_that_is_not_registered_stays) {
    Stage *stage = collection_stage();

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, status: {providerID: 'kwok://a', conditions: [Launched, "
                     "Registered=Unknown/NodeNotFound]}}\n---\n{kind: NodeClaim, metadata: {name: b}}");
    assert_does_not_say(stage_run(stage, "10m"), "nodeclaim");
    stage_free(stage);
}

TEST(a_claim_that_is_deleting_is_not_deleted_again) {
    Stage *stage = collection_stage();

    put_registered(stage, "a", false);
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination]}}");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    assert_does_not_say(stage_run(stage, "10m"), "nodeclaim");
    stage_free(stage);
}

TEST(a_claim_of_another_provider_is_left_alone) {
    Stage *stage = collection_stage();

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: "
                     "EC2NodeClass, name: default}}, status: {providerID: 'aws:///a', conditions: [Launched, "
                     "Registered]}}");
    assert_does_not_say(stage_run(stage, "10m"), "nodeclaim");
    stage_free(stage);
}

// --- descriptions that lag

TEST(an_instance_younger_than_30_s_is_not_missed) {
    Stage *stage = collection_stage();

    stage_run(stage, "1m31s");
    put_registered(stage, "a", false); // 29 s before the next list
    assert_string_equal(stage_run(stage, "29s"), "+29s list-instances\n");
    assert_says(stage_run(stage, "2m"), "delete nodeclaim/a");
    stage_free(stage);
}

TEST(an_instance_that_the_list_does_not_show_yet_is_asked_for) {
    Stage *stage = collection_stage();
    const char *history;

    stage_cloud(stage)->list_lag_ns = 240 * NS_PER_S;
    put_registered(stage, "a", true);
    history = stage_run(stage, "10m");
    assert_says(history, "+2m0s list-instances\n+2m0s get-instance kwok://a\n");
    assert_int_equal(stage_times(history, "get-instance"), 1);
    assert_does_not_say(history, "delete");
    stage_free(stage);
}

// The other way round: what the list shows is believed.
TEST(an_instance_that_only_the_list_shows_is_there) {
    Stage *stage = collection_stage();

    stage_break(stage, INTENT_GET_INSTANCE, 100, ERR_NOT_FOUND, "instance not found");
    put_registered(stage, "a", true);
    assert_does_not_say(stage_run(stage, "10m"), "delete");
    stage_free(stage);
}

TEST(an_answer_that_is_no_answer_leaves_it_for_the_next_round) {
    Stage *stage = collection_stage();
    const char *history;

    stage_break(stage, INTENT_GET_INSTANCE, 1, ERR_THROTTLED, "RequestLimitExceeded");
    put_registered(stage, "a", false);
    history = stage_run(stage, "4m");
    assert_says(history, "+2m0s log error Reconciler error error=RequestLimitExceeded");
    assert_says(history, "+4m0s delete nodeclaim/a");
    stage_free(stage);
}

// The list was on its way when the claim registered.
TEST(a_claim_that_registered_after_the_list_is_not_judged_by_it) {
    Stage *stage = collection_stage();

    stage_put(stage,
              "{kind: NodeClaim, metadata: {name: a}, status: {providerID: 'kwok://a', conditions: [Launched]}}");
    stage_pass(stage, "5m");
    stage_reconcile(stage, "");
    stage_pass(stage, "2s");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [{type: Launched, status: 'True', "
                     "reason: Launched, lastTransitionTime: '2026-01-05T00:00:00Z'}, Registered]}}");
    stage_carry_out(stage);
    assert_true(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    stage_pass(stage, "2m");
    stage_reconcile(stage, "");
    stage_carry_out(stage);
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    stage_free(stage);
}

// --- failures

TEST(a_list_that_fails_is_asked_for_again) {
    Stage *stage = collection_stage();
    const char *history;

    put_registered(stage, "a", true);
    stage_break(stage, INTENT_LIST_INSTANCES, 2, ERR_IO, "no network");
    history = stage_run(stage, "1m59s");
    assert_int_equal(stage_times(history, "list-instances"), 3);
    assert_int_equal(stage_times(history, "log error Reconciler error error=no network"), 2);
    assert_true(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    stage_free(stage);
}

TEST(a_deletion_that_fails_stops_no_other) {
    Stage *stage = collection_stage();
    const char *history;

    put_registered(stage, "a", false);
    put_registered(stage, "b", false);
    stage_break(stage, INTENT_REMOVE, 1, ERR_IO, "etcd is away");
    history = stage_run(stage, "2m");
    assert_says(history, "log error Reconciler error error=etcd is away");
    assert_int_equal(stage_count(stage, KUBE_NODE_CLAIM), 1);
    stage_run(stage, "2m");
    assert_int_equal(stage_count(stage, KUBE_NODE_CLAIM), 0);
    stage_free(stage);
}

TEST(a_restart_repeats_the_list) {
    Stage *stage = collection_stage();

    put_registered(stage, "a", false);
    stage_pass(stage, "1m");
    stage_die_after(stage, 1); // the list's answer is lost
    assert_says(stage_run(stage, "0s"), "+0s list-instances\n+0s list-instances\n+0s get-instance kwok://a\n");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    stage_free(stage);
}
