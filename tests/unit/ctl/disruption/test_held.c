// What a command's nodes have beyond its replacements counts against limits until they are deleted.
#include "ctl/disruption/disruption_env.h"

static int64_t millis_at_most(DisruptionEnv *env) {
    State *state = env_state(env->env);
    Symbol pool = env_symbol(env->env, "default");
    Arena arena = {0};
    Resources usage = resources_copy(&arena, &state_pool_usage(state, pool)->capacity);
    int64_t millis;

    state_forget_orders(state, (Mono){env_now_ns(env->env)});
    state_add_orders(state, &arena, pool, &usage);
    millis = resources_get(&usage, NAME_CPU);
    arena_free(&arena);
    return millis;
}

// A large node that drifted, for whose pod a small one suffices.
static DisruptionEnv *with_large_node(void) {
    DisruptionEnv *env = disruption_env_new("");

    put_pool_node(env, "a", "large", "on-demand");
    put_bound_pod(env, "p", "a", "1500m");
    env_put(env->env, "{kind: NodePool, metadata: {name: default}, spec: {template: {spec: {requirements: "
                      "[{key: node.kubernetes.io/instance-type, operator: In, values: [small]}]}}}}");
    env_put(env->env, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [Launched, Registered, Initialized, "
                      "Drifted]}}");
    return env;
}

TEST(a_large_node_counts_until_its_small_replacement_is_ready) {
    DisruptionEnv *env = with_large_node();

    env_run(env->env, "1s");
    assert_true(is_tainted(env, "a"));
    assert_int_equal(millis_at_most(env), 8000);
    let_join(env, replacement_name(env), "small", "on-demand");
    env_run(env->env, "20s");
    assert_int_equal(millis_at_most(env), 2000);
    disruption_env_free(env);
}

// What its replacement may become was known to the process that died only: here its pod's request counts for it.
TEST(after_a_death_it_counts_beside_its_replacement) {
    DisruptionEnv *env = with_large_node();

    env_run(env->env, "1s");
    disruption_env_restart(env);
    env_run(env->env, "1s");
    assert_true(is_tainted(env, "a"));
    assert_int_equal(millis_at_most(env), 8000 + 1500);
    let_join(env, replacement_name(env), "small", "on-demand");
    env_run(env->env, "20s");
    assert_int_equal(millis_at_most(env), 2000);
    disruption_env_free(env);
}

TEST(a_command_that_fails_lets_go) {
    DisruptionEnv *env = with_large_node();

    env_run(env->env, "1s");
    env_remove(env->env, KUBE_NODE_CLAIM, replacement_name(env));
    env_tell(env->env);
    env_run(env->env, "5s");
    assert_false(is_tainted(env, "a"));
    assert_int_equal(millis_at_most(env), 8000);
    disruption_env_free(env);
}
