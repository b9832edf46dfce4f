// The controller of disruption with the gate NodeRepair. Reference changes.md 1.
#include "ctl/disruption/disruption_env.h"

static const RepairPolicy policies[] = {
    {.condition = "KernelReady", .status = "False", .toleration_ns = 10 * NS_PER_MIN, .bound_ns = 5 * NS_PER_MIN},
};

static DisruptionEnv *with_sick_node(bool gate) {
    DisruptionEnv *env = disruption_env_new("consolidateAfter: Never");

    env->env->settings.gate_node_repair = gate;
    env_cloud(env->env)->repair_policies = (RepairPolicies){policies, 1};
    put_pool_node(env, "a", "small", "on-demand");
    put_bound_pod(env, "p", "a", "1500m");
    env_put(env->env, "{kind: NodeClaim, metadata: {name: a}, status: {imageID: ami-1}}");
    env_run(env->env, "1m");
    env_put(env->env, "{kind: Node, metadata: {name: a}, status: {conditions: [Ready, KernelReady=False/Oops]}}");
    return env;
}

static const char *history(DisruptionEnv *env) {
    return env_part(env->env, KUBE_NODE_POOL, "default", "metadata.annotations.'tenon.sh/repairs'");
}

static const char *deadline(DisruptionEnv *env) {
    return env_part(env->env, KUBE_NODE_CLAIM, "a",
                    "metadata.annotations.'karpenter.sh/nodeclaim-termination-timestamp'");
}

static bool is_deleting(DisruptionEnv *env) {
    return *env_part(env->env, KUBE_NODE_CLAIM, "a", "metadata.deletionTimestamp");
}

TEST(without_the_gate_a_sick_node_stays) {
    DisruptionEnv *env = with_sick_node(false);

    env_run(env->env, "1h");
    assert_null(replacement_name(env));
    assert_string_equal(history(env), "");
    disruption_env_free(env);
}

TEST(a_sick_node_is_drained_within_its_bound_when_its_replacement_is_ready) {
    DisruptionEnv *env = with_sick_node(true);
    const char *said;

    env_run(env->env, "9m");
    assert_null(replacement_name(env));
    said = env_run(env->env, "2m"); // nothing changes: the controller knows when the toleration ends
    assert_says(said, "log info selected repair policy");
    assert_non_null(replacement_name(env));
    assert_true(is_tainted(env, "a"));
    assert_string_equal(env_condition(env->env, KUBE_NODE_CLAIM, "a", "DisruptionReason"), "True/Unhealthy: Unhealthy");
    assert_says(env_part(env->env, KUBE_NODE, "a", "metadata.annotations.'tenon.sh/command'"),
                "/candidate/awaits-1/drains-300s");
    assert_says(history(env), "/zone-a/ami-1");
    assert_string_equal(deadline(env), "");
    let_join(env, replacement_name(env), "small", "on-demand");
    env_run(env->env, "1s");
    assert_true(is_deleting(env));
    assert_true(*deadline(env));
    disruption_env_free(env);
}

TEST(the_bound_of_a_drain_outlives_the_process) {
    DisruptionEnv *env = with_sick_node(true);

    env_run(env->env, "11m");
    disruption_env_restart(env);
    env_cloud(env->env)->repair_policies = (RepairPolicies){policies, 1};
    env_run(env->env, "1s");
    let_join(env, replacement_name(env), "small", "on-demand");
    env_run(env->env, "1s");
    assert_true(is_deleting(env));
    assert_true(*deadline(env));
    disruption_env_free(env);
}

TEST(the_pace_outlives_the_process) {
    DisruptionEnv *env = with_sick_node(true);

    env_put(env->env, "{kind: NodePool, metadata: {name: default}, spec: {disruption: {budgets: [{nodes: '100%%'}]}}}");
    for (const char *name = "b"; *name < 'k'; name = (char[]){(char)(*name + 1), '\0'})
        put_pool_node(env, name, "small", "on-demand");
    env_run(env->env, "11m");
    env_put(env->env, "{kind: Node, metadata: {name: b}, status: {conditions: [Ready, KernelReady=False/Oops]}}");
    disruption_env_restart(env);
    env_cloud(env->env)->repair_policies = (RepairPolicies){policies, 1};
    env_put(env->env, "{kind: NodePool, metadata: {name: default}, spec: {disruption: {consolidateAfter: Never}}}");
    env_run(env->env, "30s");
    assert_false(is_tainted(env, "b"));
    disruption_env_free(env);
}

// --- reboots

static const RepairPolicy reboot_policies[] = {
    {.condition = "KernelReady",
     .status = "False",
     .toleration_ns = 10 * NS_PER_MIN,
     .bound_ns = 5 * NS_PER_MIN,
     .action = REPAIR_REBOOT},
};

static DisruptionEnv *with_node_to_reboot(void) {
    DisruptionEnv *env = with_sick_node(true);

    env->env->settings.gate_reboot = true;
    env_cloud(env->env)->repair_policies = (RepairPolicies){reboot_policies, 1};
    return env;
}

static const char *claim_part(DisruptionEnv *env, const char *annotation) {
    char path[128];

    snprintf(path, sizeof path, "metadata.annotations.'%s'", annotation);
    return env_part(env->env, KUBE_NODE_CLAIM, "a", path);
}

TEST(a_reboot_is_requested_and_nothing_takes_the_node_s_place) {
    DisruptionEnv *env = with_node_to_reboot();
    const char *said = env_run(env->env, "11m");

    assert_says(said, "log info selected repair policy");
    assert_says(said, "log info committed node reboot");
    assert_null(replacement_name(env));
    assert_false(is_tainted(env, "a"));
    assert_string_equal(env_condition(env->env, KUBE_NODE_CLAIM, "a", "Rebooting"),
                        "True/RebootRequested: rebooting for KernelReady/Oops");
    assert_string_equal(env_condition(env->env, KUBE_NODE_CLAIM, "a", "DisruptionReason"), "True/Unhealthy: Unhealthy");
    assert_string_equal(claim_part(env, "karpenter.sh/reboot-termination-grace-period"), "\"5m0s\"");
    assert_says(claim_part(env, "tenon.sh/reboots"), "2026-01-05T00:1");
    assert_says(history(env), "/zone-a/ami-1"); // it counts for the pace of repairs
    assert_int_equal(env_times(env_run(env->env, "1h"), "log info committed"), 0);
    disruption_env_free(env);
}

TEST(a_reboot_that_was_noted_and_not_requested_is_found_again) {
    DisruptionEnv *env = with_node_to_reboot();
    uint32_t commits = 0;

    while (!*claim_part(env, "tenon.sh/reboots"))
        env_run(env->env, "1s");
    env_put(env->env, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [Launched, Registered, "
                      "Initialized, Ready]}}"); // as if the process had died before
    commits = env_times(env_run(env->env, "20m"), "log info committed node reboot");
    assert_in_range(commits, 1, 2);
    disruption_env_free(env);
}
