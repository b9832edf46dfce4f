// static.deprovisioning: reference lifecycle.md 6.1, 0.6.
#include "ctl/support/stage.h"

#include "ctl/pool/static_capacity.h"

static Stage *with_pool(const char *spec) {
    Settings settings = stage_settings();
    Stage *stage;

    settings.gate_static_capacity = true;
    stage = stage_new(&static_deprovisioning_controller, &settings);
    stage_put(stage, "{kind: NodePool, metadata: {name: default}, spec: {%s}, status: {conditions: [Ready]}}", spec);
    return stage;
}

// A claim that goes by finalizer, with its node.
static void put_node(Stage *stage, const char *name) {
    stage_put(stage,
              "{kind: NodeClaim, metadata: {name: %s, finalizers: [karpenter.sh/termination], labels: "
              "{karpenter.sh/nodepool: default}}, spec: {expireAfter: 1h}, status: {providerID: 'kwok://%s', nodeName: "
              "n-%s}}\n---\n{kind: Node, metadata: {name: n-%s, labels: {karpenter.sh/nodepool: default}}, spec: "
              "{providerID: 'kwok://%s'}}",
              name, name, name, name, name);
}

static void put_unlaunched(Stage *stage, const char *name) {
    stage_put(stage,
              "{kind: NodeClaim, metadata: {name: %s, finalizers: [karpenter.sh/termination], labels: "
              "{karpenter.sh/nodepool: default}}}",
              name);
}

// `meta`: further members of the metadata.
static void put_pod(Stage *stage, const char *name, const char *node, const char *meta) {
    stage_put(stage, "{kind: Pod, metadata: {name: %s%s}, spec: {nodeName: n-%s}, status: {phase: Running}}", name,
              meta, node);
}

// Of a DaemonSet.
static void put_daemon_pod(Stage *stage, const char *name, const char *node, const char *meta) {
    char more[512];

    stage_put(stage, "{kind: DaemonSet, metadata: {name: log}, spec: {selector: {matchLabels: {app: log}}, template: "
                     "{metadata: {labels: {app: log}}, spec: {containers: [{name: main, image: log}]}}}}");
    snprintf(more, sizeof more,
             ", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: log, controller: true, uid: %s}]%s",
             stage_part(stage, KUBE_DAEMON_SET, "log", "metadata.uid"), meta);
    put_pod(stage, name, node, more);
}

static bool goes(Stage *stage, const char *name) {
    return stage_part(stage, KUBE_NODE_CLAIM, name, "metadata.deletionTimestamp")[0] != '\0';
}

static void scale_to(Stage *stage, int replicas) {
    stage_put(stage, "{kind: NodePool, metadata: {name: default}, spec: {replicas: %d}}", replicas);
    stage_run(stage, "0s");
}

TEST(what_is_too_much_goes) {
    Stage *stage = with_pool("replicas: 3");
    const char *history;

    put_node(stage, "a");
    put_node(stage, "b");
    put_node(stage, "c");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_put(stage, "{kind: NodePool, metadata: {name: default}, spec: {replicas: 1}}");
    history = stage_run(stage, "0s");
    assert_says(history, "log info deprovisioning nodeclaims to satisfy replica count NodePool=default current=3 "
                         "desired=1 deprovision-count=2");
    assert_says(history, "log debug deleting nodeclaim NodeClaim=a");
    assert_int_equal(stage_times(history, "delete nodeclaim/"), 2);
    assert_string_equal(stage_run(stage, "1h"), ""); // what is going away does not count
    stage_free(stage);
}

TEST(claims_without_instance_go_first) {
    Stage *stage = with_pool("replicas: 3");

    put_node(stage, "a");
    put_unlaunched(stage, "z");
    put_node(stage, "b");
    scale_to(stage, 2);
    assert_true(goes(stage, "z"));
    assert_false(goes(stage, "a") || goes(stage, "b"));
    stage_free(stage);
}

// Empty: pods of DaemonSets only.
TEST(empty_nodes_go_next) {
    Stage *stage = with_pool("replicas: 3");

    put_node(stage, "a");
    put_node(stage, "b");
    put_node(stage, "c");
    put_pod(stage, "web-a", "a", "");
    put_pod(stage, "web-b", "b", "");
    put_daemon_pod(stage, "log-c", "c", "");
    put_pod(stage, "done-c", "c", "");
    stage_put(stage, "{kind: Pod, metadata: {name: done-c}, status: {phase: Succeeded}}");
    scale_to(stage, 2);
    assert_true(stage_has(stage, KUBE_POD, "log-c"));
    assert_true(goes(stage, "c"));
    assert_false(goes(stage, "a") || goes(stage, "b"));
    stage_free(stage);
}

TEST(nodes_with_do_not_disrupt_pods_go_last) {
    Stage *stage = with_pool("replicas: 3");

    put_node(stage, "a");
    put_node(stage, "b");
    put_node(stage, "c");
    put_daemon_pod(stage, "keep", "a", ", annotations: {karpenter.sh/do-not-disrupt: 'true'}"); // so it is not empty
    for (int i = 0; i < 5; i++) {
        char name[16];

        snprintf(name, sizeof name, "b-%d", i);
        put_pod(stage, name, "b", "");
        snprintf(name, sizeof name, "c-%d", i);
        put_pod(stage, name, "c", "");
    }
    scale_to(stage, 1);
    assert_false(goes(stage, "a"));
    assert_true(goes(stage, "b") && goes(stage, "c"));
    stage_free(stage);
}

// 0.6: one per pod, more by pod-deletion-cost and priority.
TEST(among_the_others_the_cheapest_goes_first) {
    Stage *stage = with_pool("replicas: 3");

    put_node(stage, "a");
    put_node(stage, "b");
    put_node(stage, "c");
    put_pod(stage, "a-1", "a", "");
    put_pod(stage, "a-2", "a", "");
    put_pod(stage, "b-1", "b", ", annotations: {controller.kubernetes.io/pod-deletion-cost: '1000000'}");
    put_pod(stage, "c-1", "c", ", annotations: {controller.kubernetes.io/pod-deletion-cost: 'much'}"); // counts as 0
    scale_to(stage, 2);
    assert_true(goes(stage, "c"));
    scale_to(stage, 1);
    assert_true(goes(stage, "b"));
    assert_false(goes(stage, "a"));
    stage_free(stage);
}

// Two pods for a node with a quarter of its life left cost half a pod.
TEST(what_is_left_of_expire_after_weighs) {
    Stage *stage = with_pool("replicas: 2");

    put_node(stage, "old");
    stage_pass(stage, "45m");
    put_node(stage, "new");
    put_pod(stage, "o-1", "old", "");
    put_pod(stage, "o-2", "old", "");
    put_pod(stage, "n-1", "new", "");
    scale_to(stage, 1);
    assert_true(goes(stage, "old"));
    assert_false(goes(stage, "new"));
    stage_free(stage);
}

TEST(replicas_may_be_zero) {
    Stage *stage = with_pool("replicas: 2");

    put_node(stage, "a");
    put_unlaunched(stage, "b");
    scale_to(stage, 0);
    assert_true(goes(stage, "a") && goes(stage, "b"));
    stage_free(stage);
}

// Too many came by a fault: their creation is enough to look.
TEST(a_claim_too_many_is_seen_when_it_comes) {
    Stage *stage = with_pool("replicas: 1");

    put_node(stage, "a");
    put_node(stage, "b");
    assert_says(stage_run(stage, "0s"), "delete nodeclaim/a");
    stage_free(stage);
}

// The watch is behind: what was chosen stays chosen, though another order would come out now.
TEST(a_slow_watch_chooses_nobody_else) {
    Stage *stage = with_pool("replicas: 1");

    put_node(stage, "a");
    put_node(stage, "b");
    put_pod(stage, "b-1", "b", "");
    stage_reconcile(stage, "default");
    assert_says(stage_texts(stage), "delete nodeclaim/a");
    put_pod(stage, "a-1", "a", ""); // now `b` would be the cheaper one
    put_pod(stage, "a-2", "a", "");
    assert_string_equal(stage_reconcile(stage, "default"), "");
    stage_free(stage);
}

TEST(a_removal_that_fails_is_tried_again) {
    Stage *stage = with_pool("replicas: 1");

    put_node(stage, "a");
    put_node(stage, "b");
    stage_break(stage, INTENT_REMOVE, 1, ERR_IO, "the API server is away");
    assert_says(stage_run(stage, "1s"), "log error Reconciler error NodePool=default error=the API server is away");
    assert_true(goes(stage, "a"));
    assert_false(goes(stage, "b"));
    stage_free(stage);
}

TEST(killed_after_each_intent_it_removes_no_more_than_it_should) {
    for (uint32_t after = 0; after < 3; after++) {
        Stage *stage = with_pool("replicas: 4");

        put_node(stage, "a");
        put_node(stage, "b");
        put_node(stage, "c");
        put_node(stage, "d");
        stage_put(stage, "{kind: NodePool, metadata: {name: default}, spec: {replicas: 2}}");
        stage_die_after(stage, after);
        stage_run(stage, "5m");
        assert_int_equal(goes(stage, "a") + goes(stage, "b") + goes(stage, "c") + goes(stage, "d"), 2);
        stage_free(stage);
    }
}
