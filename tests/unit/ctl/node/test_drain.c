// The order of a drain, reference lifecycle.md 3.3: the force set, the four tiers, and when time alone changes them.
#include "ctl/common/node_facts.h"
#include "ctl/node/drain.h"
#include "ctl/node_env.h"
#include "durations.h"

// The names of the pods to evict, as "p q", and the number of pods that wait.
static const char *look(TestEnv *env, int64_t deadline_ns, uint32_t *ret_waiting, int64_t *ret_next_ns) {
    static _Thread_local char text[256];
    State *state = env_state(env);
    const Node *node = state_node(state, env_find(env, KUBE_NODE, "n1"));
    int64_t now_ns = env_now_ns(env);
    Arena arena = {0};
    NodeDrain drain = node_drain_look(&arena, state, node, deadline_ns, now_ns);

    text[0] = '\0';
    for (vec_each(const Handle, handle, &drain.chosen)) {
        const Pod *pod = state_pod(state, *handle);

        strcat(strcat(text, text[0] ? " " : ""), symbol_text(state_symbols(state), pod->name).ptr);
    }
    for (vec_each(const Handle, handle, state_pods_on_node(state, node->meta.name))) {
        const Pod *pod = state_pod(state, *handle);
        bool chosen = false;

        for (vec_each(const Handle, other, &drain.chosen))
            chosen |= handle_eq(*handle, *other);
        assert_int_equal(chosen, node_drain_chooses(state, node, pod, deadline_ns, now_ns));
    }
    if (ret_waiting)
        *ret_waiting = drain.waiting;
    if (ret_next_ns)
        *ret_next_ns = drain.next_ns;
    arena_free(&arena);
    return text;
}

static TestEnv *four_tiers(void) {
    TestEnv *env = node_env(&node_termination_controller, NULL);

    put_pod(env, "critical-daemon", owned_by(env, KUBE_DAEMON_SET, "d"), CRITICAL);
    put_pod(env, "critical", "", ", priorityClassName: system-node-critical");
    put_pod(env, "daemon", owned_by(env, KUBE_DAEMON_SET, "d"), "");
    put_pod(env, "web", "", "");
    put_pod(env, "web-2", DO_NOT_DISRUPT, "");
    return env;
}

TEST(graceful_set_goes_tier_by_tier) {
    TestEnv *env = four_tiers();
    uint32_t waiting;

    assert_string_equal(look(env, INT64_MAX, &waiting, NULL), "web web-2");
    assert_int_equal(waiting, 5);
    env_remove(env, KUBE_POD, "web");
    env_delete(env, KUBE_POD, "web-2");
    assert_string_equal(look(env, INT64_MAX, &waiting, NULL), ""); // a tier is done when its pods are gone
    assert_int_equal(waiting, 4);
    env_remove(env, KUBE_POD, "web-2");
    assert_string_equal(look(env, INT64_MAX, NULL, NULL), "daemon");
    env_put(env, "{kind: Pod, metadata: {name: daemon}, status: {phase: Failed}}");
    assert_string_equal(look(env, INT64_MAX, NULL, NULL), "critical");
    env_remove(env, KUBE_POD, "critical");
    assert_string_equal(look(env, INT64_MAX, &waiting, NULL), "critical-daemon");
    assert_int_equal(waiting, 1);
    env_free(env);
}

TEST(graceful_set_a_stuck_pod_ends_its_tier) {
    TestEnv *env = four_tiers();
    int64_t next_ns;

    env_remove(env, KUBE_POD, "web-2");
    env_delete(env, KUBE_POD, "web");
    assert_string_equal(look(env, INT64_MAX, NULL, &next_ns), "");
    assert_int_equal(next_ns - env_now_ns(env), SECONDS(90) + 1);
    env_pass(env, "90s");
    assert_string_equal(look(env, INT64_MAX, NULL, NULL), "");
    env_pass(env, "1ns");
    assert_string_equal(look(env, INT64_MAX, NULL, &next_ns), "daemon");
    assert_true(next_ns == INT64_MAX);
    env_free(env);
}

TEST(force_set_ignores_tiers) {
    TestEnv *env = four_tiers();
    int64_t deadline_ns = env_now_ns(env) + SECONDS(100), next_ns;

    env_put(env, "{kind: Pod, metadata: {name: long}, spec: {nodeName: n1, priorityClassName: "
                 "system-node-critical, terminationGracePeriodSeconds: 80}, status: {phase: Running}}");
    assert_string_equal(look(env, deadline_ns, NULL, &next_ns), "web web-2");
    assert_int_equal(next_ns, deadline_ns - SECONDS(80) + 1);
    env_pass(env, "20s");
    assert_string_equal(look(env, deadline_ns, NULL, NULL), "web web-2");
    env_pass(env, "1ns");
    assert_string_equal(look(env, deadline_ns, NULL, NULL), "long web web-2");
    env_pass(env, "50s");
    assert_string_equal(look(env, deadline_ns, NULL, NULL), "critical-daemon critical daemon web web-2 long");
    env_free(env);
}

TEST(force_set_has_terminating_pods_that_would_take_too_long) {
    TestEnv *env = node_env(&node_termination_controller, NULL);
    int64_t deadline_ns = env_now_ns(env) + SECONDS(100);

    put_pod(env, "slow", "", ", terminationGracePeriodSeconds: 3600");
    put_pod(env, "quick", "", ", terminationGracePeriodSeconds: 60");
    env_delete(env, KUBE_POD, "slow");
    env_delete(env, KUBE_POD, "quick");
    assert_string_equal(look(env, INT64_MAX, NULL, NULL), "");
    assert_string_equal(look(env, deadline_ns, NULL, NULL), "slow");
    env_free(env);
}

TEST(daemon_set_pods_go_unless_they_tolerate_and_mirror_pods_never) {
    TestEnv *env = node_env(&node_termination_controller, NULL);
    uint32_t waiting;

    put_pod(env, "stays", owned_by(env, KUBE_DAEMON_SET, "d"), TOLERATES);
    put_pod(env, "mirror", owned_by(env, KUBE_NODE, "n1"), "");
    put_pod(env, "daemon", owned_by(env, KUBE_DAEMON_SET, "d"), "");
    assert_string_equal(look(env, INT64_MAX, &waiting, NULL), "daemon");
    assert_int_equal(waiting, 1);
    assert_string_equal(look(env, 0, &waiting, NULL), "daemon"); // even past the deadline
    env_free(env);
}
