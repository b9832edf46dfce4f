// The end of a Node and its NodeClaim together, as node.termination, the eviction queue and nodeclaim.lifecycle make
// it, whichever of the two the user deletes. Reference lifecycle.md 2.8, 3.1, 3.2; what has to come before what:
// lifecycle.md 11.8 to 11.10.
#include "ctl/claim/lifecycle.h"
#include "ctl/node_stage.h"

static Stage *cascade(void) {
    Stage *stage = node_stage(&node_termination_controller, &eviction_queue_controller);

    stage_add(stage, &claim_lifecycle_controller);
    return stage;
}

// Lives on for so many seconds, with a kubelet, and gives everything that happened.
static const char *live(Stage *stage, uint32_t seconds) {
    static _Thread_local char history[1 << 20];
    size_t length = 0;

    history[0] = '\0';
    for (uint32_t i = 0; i < seconds; i++) {
        const char *second = stage_run(stage, "1s");
        size_t more = strlen(second);

        assert_true(length + more < sizeof history);
        memcpy(history + length, second, more + 1);
        length += more;
        kubelet_works(stage);
    }
    return history;
}

// The parts stand in the text, each after the one before. Ended by NULL.
static void assert_order(const char *text, ...) {
    const char *at = text, *part;
    va_list parts;

    va_start(parts, text);
    while ((part = va_arg(parts, const char *))) {
        const char *found = strstr(at, part);

        if (!found)
            fail_msg("no \"%s\" where it should be in:\n%s", part, text);
        at = found + strlen(part);
    }
    va_end(parts);
}

static void assert_all_gone(Stage *stage) {
    assert_int_equal(stage_count(stage, KUBE_NODE), 0);
    assert_int_equal(stage_count(stage, KUBE_NODE_CLAIM), 0);
    assert_int_equal(stage_instances_alive(stage), 0);
}

// --- who is deleted first

TEST(node_deleted_by_the_user) {
    Stage *stage = cascade();
    const char *history;

    put_pod(stage, "p", "", "");
    stage_delete(stage, KUBE_NODE, "n1");
    history = live(stage, 120);
    assert_order(history, "delete nodeclaim/a", "tainted node", "evict pod/default/p", "terminate kwok://a",
                 "patch node/n1 {", "log info deleted node ", "log info deleted nodeclaim ", NULL);
    assert_all_gone(stage);
    stage_free(stage);
}

TEST(nodeclaim_deleted_by_the_user) {
    Stage *stage = cascade();
    const char *history;

    put_pod(stage, "p", "", "");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    history = live(stage, 120);
    assert_order(history, "delete node/n1", "tainted node", "evict pod/default/p", "terminate kwok://a",
                 "patch node/n1 {", "log info deleted node ", "log info deleted nodeclaim ", NULL);
    assert_does_not_say(history, "delete nodeclaim/a");
    assert_all_gone(stage);
    stage_free(stage);
}

TEST(both_deleted_at_once) {
    Stage *stage = cascade();

    put_pod(stage, "p", "", "");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_delete(stage, KUBE_NODE, "n1");
    live(stage, 120);
    assert_all_gone(stage);
    stage_free(stage);
}

// --- one without the other

TEST(nodeclaim_without_a_node) {
    Stage *stage = cascade();
    const char *history;

    stage_remove(stage, KUBE_NODE, "n1");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    history = live(stage, 30);
    assert_order(history, "terminate kwok://a", "log info deleted nodeclaim", NULL);
    assert_all_gone(stage);
    stage_free(stage);
}

// The instance is the collector's of orphans (ctl/claim/orphans.h): nobody knows whose it is.
TEST(node_without_a_nodeclaim) {
    Stage *stage = cascade();
    const char *history;

    put_pod(stage, "p", "", "");
    stage_remove(stage, KUBE_NODE_CLAIM, "a");
    stage_delete(stage, KUBE_NODE, "n1");
    history = live(stage, 60);
    assert_order(history, "tainted node", "evict pod/default/p", "patch node/n1 {", NULL);
    assert_int_equal(stage_count(stage, KUBE_NODE), 0);
    assert_int_equal(stage_instances_alive(stage), 1);
    assert_does_not_say(history, "terminate");
    stage_free(stage);
}

TEST(nodeclaim_vanishes_during_the_drain) {
    Stage *stage = cascade();

    put_pod(stage, "p", DO_NOT_DISRUPT, "");
    stage_delete(stage, KUBE_NODE, "n1");
    live(stage, 10);
    stage_remove(stage, KUBE_NODE_CLAIM, "a"); // somebody took its finalizer away
    live(stage, 10);
    assert_true(stage_has(stage, KUBE_NODE, "n1")); // the pod is still protected
    stage_remove(stage, KUBE_POD, "p");
    live(stage, 2);
    assert_false(stage_has(stage, KUBE_NODE, "n1"));
    stage_free(stage);
}

TEST(node_forced_away_during_the_drain) {
    Stage *stage = cascade();

    put_pod(stage, "p", DO_NOT_DISRUPT, "");
    stage_delete(stage, KUBE_NODE, "n1");
    live(stage, 10);
    assert_int_equal(stage_cloud(stage)->terminations, 0);
    stage_remove(stage, KUBE_NODE, "n1");
    live(stage, 30);
    assert_all_gone(stage);
    stage_free(stage);
}

TEST(node_of_the_same_name_comes_back) {
    Stage *stage = cascade();

    stage_delete(stage, KUBE_NODE, "n1");
    live(stage, 10);
    stage_remove(stage, KUBE_NODE, "n1");
    put_node(stage, "n1", "b");
    put_pod(stage, "p", "", "");
    live(stage, 60);
    assert_true(stage_has(stage, KUBE_NODE, "n1"));
    assert_true(stage_has(stage, KUBE_NODE_CLAIM, "b"));
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(stage_instances_alive(stage), 1);
    stage_free(stage);
}

// --- the instance went before

TEST(instance_gone_already) {
    Stage *stage = cascade();
    const char *history;

    put_pod(stage, "p", DO_NOT_DISRUPT, "");
    stage_put(stage, "{kind: Node, metadata: {name: n1}, status: {conditions: [Ready=Unknown]}}");
    stage_lose_instance(stage, "kwok://a");
    stage_delete(stage, KUBE_NODE, "n1");
    history = live(stage, 10);
    assert_order(history, "delete nodeclaim/a", "patch node/n1 {", "log info deleted nodeclaim", NULL);
    assert_does_not_say(history, "evict");
    assert_all_gone(stage);
    stage_free(stage);
}

// A node that comes back must not lose its instance without a drain because the cloud was wrong once.
TEST(instance_said_to_be_gone_but_the_node_is_ready_again) {
    Stage *stage = cascade();
    const char *history;

    put_pod(stage, "p", DO_NOT_DISRUPT, "");
    stage_put(stage, "{kind: Node, metadata: {name: n1}, status: {conditions: [Ready=Unknown]}}");
    stage_break(stage, INTENT_GET_INSTANCE, 1, ERR_NOT_FOUND, "never heard of it");
    stage_break(stage, INTENT_PATCH, 1, ERR_IO, "broken pipe"); // of the release
    stage_delete(stage, KUBE_NODE, "n1");
    assert_says(stage_run(stage, "0s"), "error=broken pipe");
    stage_put(stage, "{kind: Node, metadata: {name: n1}, status: {conditions: [Ready]}}");
    live(stage, 30);
    assert_true(stage_has(stage, KUBE_NODE, "n1"));
    assert_int_equal(stage_cloud(stage)->terminations, 0);
    stage_remove(stage, KUBE_POD, "p");
    history = live(stage, 60);
    assert_order(history, "terminate kwok://a", "patch node/n1 {", NULL);
    assert_all_gone(stage);
    stage_free(stage);
}

// --- terminationGracePeriod

TEST(termination_grace_period_ends_what_protects_pods) {
    Stage *stage = node_stage(&node_termination_controller, &eviction_queue_controller);
    const char *history;

    stage_remove(stage, KUBE_NODE_CLAIM, "a");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination], " NODE_LABELS
                     "}, spec: {terminationGracePeriod: 5m}, status: {providerID: 'kwok://a', nodeName: n1, "
                     "conditions: [Launched, Registered, Initialized, Ready]}}");
    stage_add(stage, &claim_lifecycle_controller);
    put_pod(stage, "held", DO_NOT_DISRUPT, ", terminationGracePeriodSeconds: 60");
    put_pod(stage, "budgeted", "", "");
    put_budget(stage, "b", "budgeted", 0);
    stage_delete(stage, KUBE_NODE, "n1");
    history = live(stage, 239);
    assert_says(history, "\"karpenter.sh/nodeclaim-termination-"
                         "timestamp\":\"2026-01-05T00:05:00Z\"}}}");
    assert_does_not_say(history, "delete pod");
    history = live(stage, 60);
    assert_order(history, "delete pod/default/held grace=59s", "delete pod/default/budgeted grace=29s", NULL);
    assert_does_not_say(history, "terminate");
    history = live(stage, 60);
    assert_says(history, "terminate kwok://a");
    assert_all_gone(stage);
    stage_free(stage);
}

// --- law 5: killed between any two intents

typedef void Scene(Stage *stage);

static void scene_node(Stage *stage) {
    put_pod(stage, "p", "", "");
    put_pod(stage, "q", "", CRITICAL);
    stage_delete(stage, KUBE_NODE, "n1");
}

static void scene_claim(Stage *stage) {
    put_pod(stage, "p", "", "");
    put_pod(stage, "d", owned_by(stage, KUBE_DAEMON_SET, "d"), "");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
}

static void scene_deadline(Stage *stage) {
    put_deadline(stage, "2026-01-05T00:01:00Z");
    put_pod(stage, "p", DO_NOT_DISRUPT, "");
    stage_put(stage, "{kind: VolumeAttachment, metadata: {name: v}, spec: {attacher: ebs, nodeName: n1, source: "
                     "{persistentVolumeName: v}}}");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
}

static void scene_instance_gone(Stage *stage) {
    stage_put(stage, "{kind: Node, metadata: {name: n1}, status: {conditions: [Ready=False]}}");
    put_pod(stage, "p", DO_NOT_DISRUPT, "");
    stage_lose_instance(stage, "kwok://a");
    stage_delete(stage, KUBE_NODE, "n1");
}

static void play_killed(Scene *scene, uint32_t lives) {
    Stage *stage = cascade();
    const char *history;

    scene(stage);
    stage_die_after(stage, lives);
    history = live(stage, 180);
    if (stage_count(stage, KUBE_NODE) + stage_count(stage, KUBE_NODE_CLAIM) + stage_instances_alive(stage) > 0)
        fail_msg("killed after %u intents:\n%s", lives, history);
    assert_order(history, "patch node/n1 {", "patch nodeclaim/a locked {\"metadata\":{\"finalizers\":[]}}", NULL);
    stage_free(stage);
}

TEST(killed_after_any_intent_everything_ends_in_order) {
    static Scene *const scenes[] = {scene_node, scene_claim, scene_deadline, scene_instance_gone};

    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        for (uint32_t lives = 0; lives < 24; lives++)
            play_killed(scenes[i], lives);
    }
}
