// PodDisruptionBudgets of a pod, as reference lifecycle.md 0.5.
#include "ctl/common/pod_budgets.h"
#include "ctl/node_env.h"

static const Pod *pod(TestEnv *env) {
    return state_pod(env_state(env), env_find(env, KUBE_POD, "p"));
}

static bool is_blocked(TestEnv *env) {
    return pod_is_blocked_by_budget(env_state(env), pod(env), env_now_ns(env), NULL);
}

static bool is_blocked_fully(TestEnv *env) {
    return pod_is_blocked_fully_by_budget(env_state(env), pod(env), env_now_ns(env));
}

static TestEnv *one_pod(void) {
    TestEnv *env = node_env(&node_termination_controller, NULL);

    put_pod(env, "p", "", "");
    return env;
}

TEST(budget_none) {
    TestEnv *env = one_pod();

    put_budget(env, "of-another", "q", 0);
    assert_false(is_blocked(env));
    assert_false(is_blocked_fully(env));
    env_free(env);
}

TEST(budget_one_blocks_while_it_allows_nothing) {
    TestEnv *env = one_pod();
    Handle which = HANDLE_NONE;

    put_budget(env, "b", "p", 0);
    assert_true(pod_is_blocked_by_budget(env_state(env), pod(env), env_now_ns(env), &which));
    assert_true(handle_eq(which, env_find(env, KUBE_POD_DISRUPTION_BUDGET, "b")));
    assert_false(is_blocked_fully(env)); // minAvailable 1 may allow something later
    put_budget(env, "b", "p", 1);
    assert_false(is_blocked(env));
    env_free(env);
}

TEST(budget_more_than_one_blocks) {
    TestEnv *env = one_pod();

    put_budget(env, "b", "p", 5);
    put_budget(env, "c", "p", 5);
    assert_true(is_blocked(env));
    assert_true(is_blocked_fully(env));
    env_free(env);
}

TEST(budget_always_allow_lets_unready_pods_go) {
    TestEnv *env = one_pod();

    put_budget(env, "b", "p", 0);
    env_put(env, "{kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 100%%, "
                 "unhealthyPodEvictionPolicy: AlwaysAllow}}");
    assert_true(is_blocked(env));
    assert_true(is_blocked_fully(env));
    env_put(env, "{kind: Pod, metadata: {name: p}, status: {conditions: [Ready=False]}}");
    assert_false(is_blocked(env));
    assert_false(is_blocked_fully(env));
    env_free(env);
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
        TestEnv *env = one_pod();
        char text[512];

        snprintf(text, sizeof text,
                 "{kind: PodDisruptionBudget, metadata: {name: b}, spec: {selector: {matchLabels: {app: p}}, %s}}",
                 rows[i].spec);
        env_put(env, "%s", text);
        assert_int_equal(is_blocked_fully(env), rows[i].fully);
        assert_int_equal(pod_is_reschedulable_now(env_state(env), pod(env), env_now_ns(env)), !rows[i].fully);
        env_free(env);
    }
}

TEST(budget_is_not_asked_about_pods_that_are_not_evicted) {
    TestEnv *env = one_pod();

    put_budget(env, "b", "p", 0);
    env_put(env, "{kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 100%%}}");
    assert_true(is_blocked_fully(env));
    env_put(env, "{kind: Pod, metadata: {name: p}, status: {phase: Succeeded}}");
    assert_false(is_blocked(env));
    assert_false(is_blocked_fully(env));
    env_free(env);
}

TEST(currently_reschedulable) {
    TestEnv *env = one_pod();

    assert_true(pod_is_reschedulable_now(env_state(env), pod(env), env_now_ns(env)));
    env_put(env, "{kind: Pod, metadata: {name: p, annotations: {karpenter.sh/do-not-disrupt: 'true'}}}");
    assert_false(pod_is_reschedulable_now(env_state(env), pod(env), env_now_ns(env)));
    env_delete(env, KUBE_POD, "p");
    assert_false(pod_is_reschedulable_now(env_state(env), pod(env), env_now_ns(env)));
    env_remove(env, KUBE_POD, "p");
    put_pod(env, "p", owned_by(env, KUBE_STATEFUL_SET, "s"), "");
    env_delete(env, KUBE_POD, "p");
    assert_true(pod_is_reschedulable_now(env_state(env), pod(env), env_now_ns(env)));
    env_free(env);
}
