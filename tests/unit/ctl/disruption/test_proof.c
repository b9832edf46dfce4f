// What becomes of a command while it is left alone, and after. Reference lifecycle.md 4.14.
#include "ctl/disruption/disruption_env.h"

#define DECIDED "log info disrupting node(s)"
#define FREE    "budgets: [{nodes: '100%'}]"

static bool is_deleting(DisruptionEnv *env, const char *claim) {
    return *env_part(env->env, KUBE_NODE_CLAIM, claim, "metadata.deletionTimestamp");
}

static bool is_untouched(DisruptionEnv *env, const char *name) {
    return !is_deleting(env, name) && !is_tainted(env, name);
}

// --- fleets of which a command is found

typedef enum { ONE_EMPTY, ONE_DELETED, ONE_REPLACED, SEVERAL_DELETED, SEVERAL_REPLACED, FLEET_COUNT } Fleet;

// Node "a", of several "b" too; their pods are small.
static DisruptionEnv *with_fleet(Fleet fleet, const char *capacity_type) {
    DisruptionEnv *env = disruption_env_new(FREE);
    const char *type = fleet == ONE_REPLACED || fleet == SEVERAL_REPLACED ? "large" : "small";

    if (fleet == ONE_DELETED || fleet == SEVERAL_DELETED)
        put_foreign_node(env, "shelter");
    put_pool_node(env, "a", type, capacity_type);
    if (fleet != ONE_EMPTY)
        put_bound_pod(env, "p", "a", "1");
    if (fleet == SEVERAL_DELETED || fleet == SEVERAL_REPLACED) {
        put_pool_node(env, "b", type, capacity_type);
        put_bound_pod(env, "q", "b", "500m");
    }
    return env;
}

static bool has_two(Fleet fleet) {
    return fleet == SEVERAL_DELETED || fleet == SEVERAL_REPLACED;
}

static void assert_goes_after_the_wait(Fleet fleet, const char *capacity_type) {
    DisruptionEnv *env = with_fleet(fleet, capacity_type);
    const char *said = env_run(env->env, "14s");

    assert_says(said, "found disruption command");
    assert_does_not_say(said, DECIDED);
    assert_true(is_untouched(env, "a"));
    said = env_run(env->env, "2s");
    assert_int_equal(env_times(said, DECIDED), 1);
    assert_true(is_tainted(env, "a"));
    if (has_two(fleet))
        assert_true(is_tainted(env, "b"));
    assert_true((replacement_name(env) != NULL) == (fleet == ONE_REPLACED || fleet == SEVERAL_REPLACED));
    disruption_env_free(env);
}

TEST(one_node_with_pods_goes_after_fifteen_seconds) {
    assert_goes_after_the_wait(ONE_DELETED, "on-demand");
    assert_goes_after_the_wait(ONE_REPLACED, "on-demand");
}

TEST(so_do_several) {
    assert_goes_after_the_wait(SEVERAL_DELETED, "on-demand");
    assert_goes_after_the_wait(SEVERAL_REPLACED, "on-demand");
}

TEST(so_do_several_spot_nodes) {
    assert_goes_after_the_wait(SEVERAL_DELETED, "spot");
}

// --- what happens meanwhile

static void put_protected_pod(DisruptionEnv *env) {
    put_bound_pod(env, "new", "a", "100m");
    env_put(env->env, "{kind: Pod, metadata: {name: new, annotations: {karpenter.sh/do-not-disrupt: 'true'}}}");
}

static void put_blocked_pod(DisruptionEnv *env) {
    put_bound_pod(env, "new", "a", "100m");
    env_put(env->env, "{kind: PodDisruptionBudget, apiVersion: policy/v1, metadata: {name: b, generation: 1},"
                      " spec: {maxUnavailable: 0, selector: {matchLabels: {app: web}}}}");
    env_put(env->env, "{kind: PodDisruptionBudget, apiVersion: policy/v1, metadata: {name: b},"
                      " status: {disruptionsAllowed: 0, observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1,"
                      " expectedPods: 1}}");
}

static void put_large_pod(DisruptionEnv *env) {
    put_bound_pod(env, "new", "a", "6");
}

static void spend_budget(DisruptionEnv *env) {
    env_put(env->env, "{kind: NodePool, metadata: {name: default}, spec: {disruption: {budgets: [{nodes: '0'}]}}}");
}

static void nominate(DisruptionEnv *env) {
    state_nominate(env_state(env->env), env_find(env->env, KUBE_NODE, "a"), (Mono){INT64_MAX});
}

// The command falls, is counted, and another look follows. Returns what was said.
static void assert_falls(Fleet fleet, void (*meanwhile)(DisruptionEnv *env), const char *why) {
    DisruptionEnv *env = with_fleet(fleet, "on-demand");
    uint32_t looks;
    const char *said;

    assert_says(env_run(env->env, "5s"), "found disruption command");
    looks = env->looks;
    meanwhile(env);
    said = env_run(env->env, "12s");
    assert_int_equal(env_times(said, "abandoning disruption command"), 1);
    assert_says(said, why);
    assert_says(said, "step rejected");
    assert_does_not_say(said, DECIDED);
    assert_true(is_untouched(env, "a"));
    assert_true(!has_two(fleet) || is_untouched(env, "b"));
    assert_null(replacement_name(env));
    env_run(env->env, "10s");
    assert_true(env->looks > looks);
    disruption_env_free(env);
}

TEST(a_budget_that_is_spent_meanwhile_keeps_the_nodes) {
    for (Fleet fleet = 0; fleet < FLEET_COUNT; fleet++)
        assert_falls(fleet, spend_budget, "reason=budget");
}

TEST(a_nomination_keeps_them) {
    for (Fleet fleet = 0; fleet < FLEET_COUNT; fleet++)
        assert_falls(fleet, nominate, "reason=churn");
}

TEST(a_pod_that_must_not_be_disrupted_keeps_them) {
    for (Fleet fleet = 0; fleet < FLEET_COUNT; fleet++)
        assert_falls(fleet, put_protected_pod, "reason=churn");
}

TEST(so_does_one_whose_budget_allows_nothing) {
    for (Fleet fleet = 0; fleet < FLEET_COUNT; fleet++)
        assert_falls(fleet, put_blocked_pod, "reason=churn");
}

TEST(a_pod_that_needs_another_type_keeps_its_node) {
    assert_falls(ONE_REPLACED, put_large_pod, "reason=scheduling");
}

// --- what is left of a command of several

static void assert_the_other_goes(const char *capacity_type) {
    DisruptionEnv *env = with_fleet(SEVERAL_DELETED, capacity_type);

    env_run(env->env, "5s");
    put_protected_pod(env);
    assert_does_not_say(env_run(env->env, "12s"), DECIDED);
    assert_says(env_run(env->env, "30s"), DECIDED);
    assert_true(is_untouched(env, "a"));
    assert_true(is_deleting(env, "b"));
    disruption_env_free(env);
}

TEST(when_one_of_several_must_stay_the_other_goes_alone) {
    assert_the_other_goes("on-demand");
    assert_the_other_goes("spot");
}
