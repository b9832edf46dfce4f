// Consolidation that waits for the fleet to come to rest: disrupt/worth/rest.h, ctl/disruption/look.c.
#include "ctl/disruption/disruption_env.h"

enum { NODES = 12 };

#define FOUND "found disruption command"

// Whether the pods of the first `count` nodes came or went a moment ago.
static void put_restless(DisruptionEnv *env, int count, bool are_restless) {
    for (int i = 0; i < count; i++)
        env_put(env->env,
                "{kind: NodeClaim, metadata: {name: n%d}, status: {conditions: [Launched, Registered, Initialized, "
                "Ready%s]}}",
                i, are_restless ? "" : ", Consolidatable");
}

// Twelve nodes with far too much room, which may be consolidated, and a new pod on each.
static DisruptionEnv *new_fleet(Consolidation consolidation) {
    DisruptionEnv *env = disruption_env_new_with("budgets: [{nodes: '100%'}]", consolidation);
    char node[8], pod[8];

    for (int i = 0; i < NODES; i++) {
        snprintf(node, sizeof node, "n%d", i);
        snprintf(pod, sizeof pod, "p%d", i);
        put_pool_node(env, node, "large", "on-demand");
        put_bound_pod(env, pod, node, "1");
    }
    return env;
}

// The same when the pods are not young any more; so many nodes are restless.
static DisruptionEnv *fleet(Consolidation consolidation, int restless) {
    DisruptionEnv *env = new_fleet(consolidation);

    env_pass(env->env, "11m");
    put_restless(env, restless, true);
    return env;
}

TEST(it_waits_until_all_nodes_may_be_consolidated) {
    DisruptionEnv *env = fleet(CONSOLIDATION_FLEET, 10);

    assert_does_not_say(env_run(env->env, "60s"), FOUND);
    assert_true(env->looks > 1); // for what else is to be done
    put_restless(env, 10, false);
    assert_says(env_run(env->env, "11s"), FOUND);
    disruption_env_free(env);
}

TEST(young_pods_hold_up_nobody) {
    DisruptionEnv *env = new_fleet(CONSOLIDATION_FLEET);

    assert_says(env_run(env->env, "60s"), FOUND);
    disruption_env_free(env);
}

TEST(it_waits_for_five_minutes_at_most) {
    DisruptionEnv *env = fleet(CONSOLIDATION_FLEET, 10);

    assert_does_not_say(env_run(env->env, "299s"), FOUND);
    assert_says(env_run(env->env, "12s"), FOUND);
    disruption_env_free(env);
}

TEST(a_few_restless_nodes_hold_up_nobody) {
    DisruptionEnv *env = fleet(CONSOLIDATION_FLEET, 9);

    assert_says(env_run(env->env, "1s"), FOUND);
    disruption_env_free(env);
}

TEST(karpenters_method_does_not_wait) {
    DisruptionEnv *env = fleet(CONSOLIDATION_CLASSIC, 10);

    assert_says(env_run(env->env, "1s"), FOUND);
    disruption_env_free(env);
}
