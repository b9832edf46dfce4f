// Deletion of a Node and its NodeClaim together by node.termination, the eviction queue and nodeclaim.lifecycle,
// whichever of the two the user deletes. Reference lifecycle.md 2.8, 3.1, 3.2; the order of steps: lifecycle.md 11.8 to
// 11.10.
#include "ctl/claim/lifecycle.h"
#include "ctl/node_env.h"

static TestEnv *cascade(void) {
    TestEnv *env = node_env(&node_termination_controller, &eviction_queue_controller);

    env_add(env, &claim_lifecycle_controller);
    return env;
}

// Runs for some seconds, with a kubelet, and returns the history.
static const char *live(TestEnv *env, uint32_t seconds) {
    static _Thread_local char history[1 << 20];
    size_t length = 0;

    history[0] = '\0';
    for (uint32_t i = 0; i < seconds; i++) {
        const char *second = env_run(env, "1s");
        size_t more = strlen(second);

        assert_true(length + more < sizeof history);
        memcpy(history + length, second, more + 1);
        length += more;
        kubelet_works(env);
    }
    return history;
}

// Asserts that the text has these parts in this order. Ended by NULL.
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

static void assert_all_gone(TestEnv *env) {
    assert_int_equal(env_count(env, KUBE_NODE), 0);
    assert_int_equal(env_count(env, KUBE_NODE_CLAIM), 0);
    assert_int_equal(env_instances_alive(env), 0);
}

// --- which one is deleted first

TEST(node_deleted_by_the_user) {
    TestEnv *env = cascade();
    const char *history;

    put_pod(env, "p", "", "");
    env_delete(env, KUBE_NODE, "n1");
    history = live(env, 120);
    assert_order(history, "delete nodeclaim/a", "tainted node", "evict pod/default/p", "terminate kwok://a",
                 "patch node/n1 {", "log info deleted node ", "log info deleted nodeclaim ", NULL);
    assert_all_gone(env);
    env_free(env);
}

TEST(nodeclaim_deleted_by_the_user) {
    TestEnv *env = cascade();
    const char *history;

    put_pod(env, "p", "", "");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    history = live(env, 120);
    assert_order(history, "delete node/n1", "tainted node", "evict pod/default/p", "terminate kwok://a",
                 "patch node/n1 {", "log info deleted node ", "log info deleted nodeclaim ", NULL);
    assert_does_not_say(history, "delete nodeclaim/a");
    assert_all_gone(env);
    env_free(env);
}

TEST(both_deleted_at_once) {
    TestEnv *env = cascade();

    put_pod(env, "p", "", "");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_delete(env, KUBE_NODE, "n1");
    live(env, 120);
    assert_all_gone(env);
    env_free(env);
}

// --- one without the other

TEST(nodeclaim_without_a_node) {
    TestEnv *env = cascade();
    const char *history;

    env_remove(env, KUBE_NODE, "n1");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    history = live(env, 30);
    assert_order(history, "terminate kwok://a", "log info deleted nodeclaim", NULL);
    assert_all_gone(env);
    env_free(env);
}

// The instance is left to the garbage collection of orphans (ctl/claim/orphans.h).
TEST(node_without_a_nodeclaim) {
    TestEnv *env = cascade();
    const char *history;

    put_pod(env, "p", "", "");
    env_remove(env, KUBE_NODE_CLAIM, "a");
    env_delete(env, KUBE_NODE, "n1");
    history = live(env, 60);
    assert_order(history, "tainted node", "evict pod/default/p", "patch node/n1 {", NULL);
    assert_int_equal(env_count(env, KUBE_NODE), 0);
    assert_int_equal(env_instances_alive(env), 1);
    assert_does_not_say(history, "terminate");
    env_free(env);
}

TEST(nodeclaim_vanishes_during_the_drain) {
    TestEnv *env = cascade();

    put_pod(env, "p", DO_NOT_DISRUPT, "");
    env_delete(env, KUBE_NODE, "n1");
    live(env, 10);
    env_remove(env, KUBE_NODE_CLAIM, "a"); // its finalizer is removed by hand
    live(env, 10);
    assert_true(env_has(env, KUBE_NODE, "n1")); // the pod is still protected
    env_remove(env, KUBE_POD, "p");
    live(env, 2);
    assert_false(env_has(env, KUBE_NODE, "n1"));
    env_free(env);
}

TEST(node_forced_away_during_the_drain) {
    TestEnv *env = cascade();

    put_pod(env, "p", DO_NOT_DISRUPT, "");
    env_delete(env, KUBE_NODE, "n1");
    live(env, 10);
    assert_int_equal(env_cloud(env)->terminations, 0);
    env_remove(env, KUBE_NODE, "n1");
    live(env, 30);
    assert_all_gone(env);
    env_free(env);
}

TEST(node_of_the_same_name_comes_back) {
    TestEnv *env = cascade();

    env_delete(env, KUBE_NODE, "n1");
    live(env, 10);
    env_remove(env, KUBE_NODE, "n1");
    put_node(env, "n1", "b");
    put_pod(env, "p", "", "");
    live(env, 60);
    assert_true(env_has(env, KUBE_NODE, "n1"));
    assert_true(env_has(env, KUBE_NODE_CLAIM, "b"));
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_instances_alive(env), 1);
    env_free(env);
}

// --- the instance went before

TEST(instance_gone_already) {
    TestEnv *env = cascade();
    const char *history;

    put_pod(env, "p", DO_NOT_DISRUPT, "");
    env_put(env, "{kind: Node, metadata: {name: n1}, status: {conditions: [Ready=Unknown]}}");
    env_lose_instance(env, "kwok://a");
    env_delete(env, KUBE_NODE, "n1");
    history = live(env, 10);
    assert_order(history, "delete nodeclaim/a", "patch node/n1 {", "log info deleted nodeclaim", NULL);
    assert_does_not_say(history, "evict");
    assert_all_gone(env);
    env_free(env);
}

// A node that becomes ready again is drained, even if the cloud once said that its instance was gone.
TEST(instance_said_to_be_gone_but_the_node_is_ready_again) {
    TestEnv *env = cascade();
    const char *history;

    put_pod(env, "p", DO_NOT_DISRUPT, "");
    env_put(env, "{kind: Node, metadata: {name: n1}, status: {conditions: [Ready=Unknown]}}");
    env_break(env, INTENT_GET_INSTANCE, 1, ERR_NOT_FOUND, "never heard of it");
    env_break(env, INTENT_PATCH, 1, ERR_IO, "broken pipe"); // of the release
    env_delete(env, KUBE_NODE, "n1");
    assert_says(env_run(env, "0s"), "error=broken pipe");
    env_put(env, "{kind: Node, metadata: {name: n1}, status: {conditions: [Ready]}}");
    live(env, 30);
    assert_true(env_has(env, KUBE_NODE, "n1"));
    assert_int_equal(env_cloud(env)->terminations, 0);
    env_remove(env, KUBE_POD, "p");
    history = live(env, 60);
    assert_order(history, "terminate kwok://a", "patch node/n1 {", NULL);
    assert_all_gone(env);
    env_free(env);
}

// --- terminationGracePeriod

TEST(termination_grace_period_ends_what_protects_pods) {
    TestEnv *env = node_env(&node_termination_controller, &eviction_queue_controller);
    const char *history;

    env_remove(env, KUBE_NODE_CLAIM, "a");
    env_put(env, "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination], " NODE_LABELS
                 "}, spec: {terminationGracePeriod: 5m}, status: {providerID: 'kwok://a', nodeName: n1, "
                 "conditions: [Launched, Registered, Initialized, Ready]}}");
    env_add(env, &claim_lifecycle_controller);
    put_pod(env, "held", DO_NOT_DISRUPT, ", terminationGracePeriodSeconds: 60");
    put_pod(env, "budgeted", "", "");
    put_budget(env, "b", "budgeted", 0);
    env_delete(env, KUBE_NODE, "n1");
    history = live(env, 239);
    assert_says(history, "\"karpenter.sh/nodeclaim-termination-"
                         "timestamp\":\"2026-01-05T00:05:00Z\"}}}");
    assert_does_not_say(history, "delete pod");
    history = live(env, 60);
    assert_order(history, "delete pod/default/held grace=59s", "delete pod/default/budgeted grace=29s", NULL);
    assert_does_not_say(history, "terminate");
    history = live(env, 60);
    assert_says(history, "terminate kwok://a");
    assert_all_gone(env);
    env_free(env);
}

// --- law 5: killed between any two intents

typedef void Scene(TestEnv *env);

static void scene_node(TestEnv *env) {
    put_pod(env, "p", "", "");
    put_pod(env, "q", "", CRITICAL);
    env_delete(env, KUBE_NODE, "n1");
}

static void scene_claim(TestEnv *env) {
    put_pod(env, "p", "", "");
    put_pod(env, "d", owned_by(env, KUBE_DAEMON_SET, "d"), "");
    env_delete(env, KUBE_NODE_CLAIM, "a");
}

static void scene_deadline(TestEnv *env) {
    put_deadline(env, "2026-01-05T00:01:00Z");
    put_pod(env, "p", DO_NOT_DISRUPT, "");
    env_put(env, "{kind: VolumeAttachment, metadata: {name: v}, spec: {attacher: ebs, nodeName: n1, source: "
                 "{persistentVolumeName: v}}}");
    env_delete(env, KUBE_NODE_CLAIM, "a");
}

static void scene_instance_gone(TestEnv *env) {
    env_put(env, "{kind: Node, metadata: {name: n1}, status: {conditions: [Ready=False]}}");
    put_pod(env, "p", DO_NOT_DISRUPT, "");
    env_lose_instance(env, "kwok://a");
    env_delete(env, KUBE_NODE, "n1");
}

static void play_killed(Scene *scene, uint32_t lives) {
    TestEnv *env = cascade();
    const char *history;

    scene(env);
    env_die_after(env, lives);
    history = live(env, 180);
    if (env_count(env, KUBE_NODE) + env_count(env, KUBE_NODE_CLAIM) + env_instances_alive(env) > 0)
        fail_msg("killed after %u intents:\n%s", lives, history);
    assert_order(history, "patch node/n1 {", "patch nodeclaim/a locked {\"metadata\":{\"finalizers\":[]}}", NULL);
    env_free(env);
}

TEST(killed_after_any_intent_everything_ends_in_order) {
    static Scene *const scenes[] = {scene_node, scene_claim, scene_deadline, scene_instance_gone};

    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        for (uint32_t lives = 0; lives < 24; lives++)
            play_killed(scenes[i], lives);
    }
}
