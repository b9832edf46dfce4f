// The order of a drain, reference lifecycle.md 3.3: the force set, the four tiers, and when time alone changes them.
#include "ctl/common/node_facts.h"
#include "ctl/node/drain.h"
#include "ctl/node_stage.h"
#include "durations.h"

// Names of the chosen, as "p q", and how many wait.
static const char *look(Stage *stage, int64_t deadline_ns, uint32_t *ret_waiting, int64_t *ret_next_ns) {
    static _Thread_local char text[256];
    State *state = stage_state(stage);
    const Node *node = state_node(state, stage_find(stage, KUBE_NODE, "n1"));
    int64_t now_ns = stage_now_ns(stage);
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

static Stage *four_tiers(void) {
    Stage *stage = node_stage(&node_termination_controller, NULL);

    put_pod(stage, "critical-daemon", owned_by(stage, KUBE_DAEMON_SET, "d"), CRITICAL);
    put_pod(stage, "critical", "", ", priorityClassName: system-node-critical");
    put_pod(stage, "daemon", owned_by(stage, KUBE_DAEMON_SET, "d"), "");
    put_pod(stage, "web", "", "");
    put_pod(stage, "web-2", DO_NOT_DISRUPT, "");
    return stage;
}

TEST(graceful_set_goes_tier_by_tier) {
    Stage *stage = four_tiers();
    uint32_t waiting;

    assert_string_equal(look(stage, INT64_MAX, &waiting, NULL), "web web-2");
    assert_int_equal(waiting, 5);
    stage_remove(stage, KUBE_POD, "web");
    stage_delete(stage, KUBE_POD, "web-2");
    assert_string_equal(look(stage, INT64_MAX, &waiting, NULL), ""); // a tier is done when its pods are gone
    assert_int_equal(waiting, 4);
    stage_remove(stage, KUBE_POD, "web-2");
    assert_string_equal(look(stage, INT64_MAX, NULL, NULL), "daemon");
    stage_put(stage, "{kind: Pod, metadata: {name: daemon}, status: {phase: Failed}}");
    assert_string_equal(look(stage, INT64_MAX, NULL, NULL), "critical");
    stage_remove(stage, KUBE_POD, "critical");
    assert_string_equal(look(stage, INT64_MAX, &waiting, NULL), "critical-daemon");
    assert_int_equal(waiting, 1);
    stage_free(stage);
}

TEST(graceful_set_a_stuck_pod_ends_its_tier) {
    Stage *stage = four_tiers();
    int64_t next_ns;

    stage_remove(stage, KUBE_POD, "web-2");
    stage_delete(stage, KUBE_POD, "web");
    assert_string_equal(look(stage, INT64_MAX, NULL, &next_ns), "");
    assert_int_equal(next_ns - stage_now_ns(stage), SECONDS(90) + 1);
    stage_pass(stage, "90s");
    assert_string_equal(look(stage, INT64_MAX, NULL, NULL), "");
    stage_pass(stage, "1ns");
    assert_string_equal(look(stage, INT64_MAX, NULL, &next_ns), "daemon");
    assert_true(next_ns == INT64_MAX);
    stage_free(stage);
}

TEST(force_set_ignores_tiers) {
    Stage *stage = four_tiers();
    int64_t deadline_ns = stage_now_ns(stage) + SECONDS(100), next_ns;

    stage_put(stage, "{kind: Pod, metadata: {name: long}, spec: {nodeName: n1, priorityClassName: "
                     "system-node-critical, terminationGracePeriodSeconds: 80}, status: {phase: Running}}");
    assert_string_equal(look(stage, deadline_ns, NULL, &next_ns), "web web-2");
    assert_int_equal(next_ns, deadline_ns - SECONDS(80) + 1);
    stage_pass(stage, "20s");
    assert_string_equal(look(stage, deadline_ns, NULL, NULL), "web web-2");
    stage_pass(stage, "1ns");
    assert_string_equal(look(stage, deadline_ns, NULL, NULL), "long web web-2");
    stage_pass(stage, "50s");
    assert_string_equal(look(stage, deadline_ns, NULL, NULL), "critical-daemon critical daemon web web-2 long");
    stage_free(stage);
}

TEST(force_set_has_terminating_pods_that_would_take_too_long) {
    Stage *stage = node_stage(&node_termination_controller, NULL);
    int64_t deadline_ns = stage_now_ns(stage) + SECONDS(100);

    put_pod(stage, "slow", "", ", terminationGracePeriodSeconds: 3600");
    put_pod(stage, "quick", "", ", terminationGracePeriodSeconds: 60");
    stage_delete(stage, KUBE_POD, "slow");
    stage_delete(stage, KUBE_POD, "quick");
    assert_string_equal(look(stage, INT64_MAX, NULL, NULL), "");
    assert_string_equal(look(stage, deadline_ns, NULL, NULL), "slow");
    stage_free(stage);
}

TEST(daemon_set_pods_go_unless_they_tolerate_and_mirror_pods_never) {
    Stage *stage = node_stage(&node_termination_controller, NULL);
    uint32_t waiting;

    put_pod(stage, "stays", owned_by(stage, KUBE_DAEMON_SET, "d"), TOLERATES);
    put_pod(stage, "mirror", owned_by(stage, KUBE_NODE, "n1"), "");
    put_pod(stage, "daemon", owned_by(stage, KUBE_DAEMON_SET, "d"), "");
    assert_string_equal(look(stage, INT64_MAX, &waiting, NULL), "daemon");
    assert_int_equal(waiting, 1);
    assert_string_equal(look(stage, 0, &waiting, NULL), "daemon"); // even past the deadline
    stage_free(stage);
}
