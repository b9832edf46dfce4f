// What PodDisruptionBudgets say about a pod: the evaluation of reference lifecycle.md 0.5.
#include "ctl/common/pod_budgets.h"
#include "ctl/node_stage.h"

static const Pod *pod(Stage *stage) {
    return state_pod(stage_state(stage), stage_find(stage, KUBE_POD, "p"));
}

static bool is_blocked(Stage *stage) {
    return pod_is_blocked_by_budget(stage_state(stage), pod(stage), stage_now_ns(stage), NULL);
}

static bool is_blocked_fully(Stage *stage) {
    return pod_is_blocked_fully_by_budget(stage_state(stage), pod(stage), stage_now_ns(stage));
}

static Stage *one_pod(void) {
    Stage *stage = node_stage(&node_termination_controller, NULL);

    put_pod(stage, "p", "", "");
    return stage;
}

TEST(budget_none) {
    Stage *stage = one_pod();

    put_budget(stage, "of-another", "q", 0);
    assert_false(is_blocked(stage));
    assert_false(is_blocked_fully(stage));
    stage_free(stage);
}

TEST(budget_one_blocks_while_it_allows_nothing) {
    Stage *stage = one_pod();
    Handle which = HANDLE_NONE;

    put_budget(stage, "b", "p", 0);
    assert_true(pod_is_blocked_by_budget(stage_state(stage), pod(stage), stage_now_ns(stage), &which));
    assert_true(handle_eq(which, stage_find(stage, KUBE_POD_DISRUPTION_BUDGET, "b")));
    assert_false(is_blocked_fully(stage)); // minAvailable 1 may allow something later
    put_budget(stage, "b", "p", 1);
    assert_false(is_blocked(stage));
    stage_free(stage);
}

TEST(budget_more_than_one_blocks) {
    Stage *stage = one_pod();

    put_budget(stage, "b", "p", 5);
    put_budget(stage, "c", "p", 5);
    assert_true(is_blocked(stage));
    assert_true(is_blocked_fully(stage));
    stage_free(stage);
}

TEST(budget_always_allow_lets_unready_pods_go) {
    Stage *stage = one_pod();

    put_budget(stage, "b", "p", 0);
    stage_put(stage, "{kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 100%%, "
                     "unhealthyPodEvictionPolicy: AlwaysAllow}}");
    assert_true(is_blocked(stage));
    assert_true(is_blocked_fully(stage));
    stage_put(stage, "{kind: Pod, metadata: {name: p}, status: {conditions: [Ready=False]}}");
    assert_false(is_blocked(stage));
    assert_false(is_blocked_fully(stage));
    stage_free(stage);
}

TEST(budget_fully_blocking) {
    static const struct {
        const char *spec;
        bool fully;
    } rows[] = {
        {"maxUnavailable: 0", true},      {"maxUnavailable: 0%", true},   {"minAvailable: 100%", true},
        {"maxUnavailable: 1", false},     {"maxUnavailable: 10%", false}, {"minAvailable: 99%", false},
        {"minAvailable: 1000000", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Stage *stage = one_pod();
        char text[512];

        snprintf(text, sizeof text,
                 "{kind: PodDisruptionBudget, metadata: {name: b}, spec: {selector: {matchLabels: {app: p}}, %s}}",
                 rows[i].spec);
        stage_put(stage, "%s", text);
        assert_int_equal(is_blocked_fully(stage), rows[i].fully);
        assert_int_equal(pod_is_reschedulable_now(stage_state(stage), pod(stage), stage_now_ns(stage)), !rows[i].fully);
        stage_free(stage);
    }
}

TEST(budget_is_not_asked_about_pods_that_are_not_evicted) {
    Stage *stage = one_pod();

    put_budget(stage, "b", "p", 0);
    stage_put(stage, "{kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 100%%}}");
    assert_true(is_blocked_fully(stage));
    stage_put(stage, "{kind: Pod, metadata: {name: p}, status: {phase: Succeeded}}");
    assert_false(is_blocked(stage));
    assert_false(is_blocked_fully(stage));
    stage_free(stage);
}

TEST(currently_reschedulable) {
    Stage *stage = one_pod();

    assert_true(pod_is_reschedulable_now(stage_state(stage), pod(stage), stage_now_ns(stage)));
    stage_put(stage, "{kind: Pod, metadata: {name: p, annotations: {karpenter.sh/do-not-disrupt: 'true'}}}");
    assert_false(pod_is_reschedulable_now(stage_state(stage), pod(stage), stage_now_ns(stage)));
    stage_delete(stage, KUBE_POD, "p");
    assert_false(pod_is_reschedulable_now(stage_state(stage), pod(stage), stage_now_ns(stage)));
    stage_remove(stage, KUBE_POD, "p");
    put_pod(stage, "p", owned_by(stage, KUBE_STATEFUL_SET, "s"), "");
    stage_delete(stage, KUBE_POD, "p");
    assert_true(pod_is_reschedulable_now(stage_state(stage), pod(stage), stage_now_ns(stage)));
    stage_free(stage);
}
