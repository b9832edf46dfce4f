// The controller of disruption prepares forceful ends. Reference lifecycle.md 2.9.
#include "ctl/disruption/disruption_env.h"

static DisruptionEnv *with_expiring_node(void) {
    DisruptionEnv *env = disruption_env_new("budgets: [{nodes: '0'}]");

    env_put(env->env, "{kind: NodeClaim, metadata: {name: a}, spec: {expireAfter: 3h}}");
    put_pool_node(env, "a", "small", "on-demand");
    put_bound_pod(env, "p", "a", "1500m");
    return env;
}

static bool is_deleting(DisruptionEnv *env) {
    return *env_part(env->env, KUBE_NODE_CLAIM, "a", "metadata.deletionTimestamp");
}

static const char *reason(DisruptionEnv *env) {
    return env_condition(env->env, KUBE_NODE_CLAIM, "a", "DisruptionReason");
}

// Runs until the replacement is launched, at most for the time that is left.
static const char *wait_for_replacement(DisruptionEnv *env) {
    for (int minutes = 0; minutes < 3 * 60 && !replacement_name(env); minutes++)
        env_run(env->env, "1m");
    return replacement_name(env);
}

TEST(a_node_goes_when_what_replaces_it_is_ready_without_a_budget) {
    DisruptionEnv *env = with_expiring_node();

    assert_non_null(wait_for_replacement(env));
    assert_true(is_tainted(env, "a"));
    assert_string_equal(reason(env), ""); // its evictions are forceful terminations
    env_run(env->env, "1m");
    assert_false(is_deleting(env));
    let_join(env, replacement_name(env), "small", "on-demand");
    env_run(env->env, "1s");
    assert_true(is_deleting(env));
    disruption_env_free(env);
}

TEST(it_goes_on_after_a_death_whatever_the_replacement_costs) {
    DisruptionEnv *env = with_expiring_node();

    assert_non_null(wait_for_replacement(env));
    disruption_env_restart(env);
    env_run(env->env, "1s");
    let_join(env, replacement_name(env), "large", "on-demand"); // dearer, which is consolidation's matter alone
    env_run(env->env, "1s");
    assert_true(is_deleting(env));
    disruption_env_free(env);
}
