// PodDisruptionBudgets of a pod in the State. What they allow: tests/unit/model/test_disruption_budget.c.
#include "ctl/common/pod_budgets.h"
#include "ctl/node_env.h"

static const Pod *pod(TestEnv *env) {
    return state_pod(env_state(env), env_find(env, KUBE_POD, "p"));
}

TEST(budgets_of_a_pod_are_counted_up_to_two) {
    TestEnv *env = node_env(&node_termination_controller, NULL);
    Handle first = HANDLE_NONE;

    put_pod(env, "p", "", "");
    put_budget(env, "of-another", "q", 0);
    assert_int_equal(pod_count_budgets(env_state(env), pod(env), &first), 0);
    put_budget(env, "b", "p", 0);
    assert_int_equal(pod_count_budgets(env_state(env), pod(env), &first), 1);
    assert_true(handle_eq(first, env_find(env, KUBE_POD_DISRUPTION_BUDGET, "b")));
    put_budget(env, "c", "p", 5);
    put_budget(env, "d", "p", 5);
    assert_int_equal(pod_count_budgets(env_state(env), pod(env), &first), 2);
    env_free(env);
}
