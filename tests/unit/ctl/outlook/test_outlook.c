// From a look of disruption to who steers by it: docs/design/ctl-outlook.md.
#include "ctl/disruption/disruption_env.h"
#include "ctl/outlook/deletion_cost.h"
#include "ctl/outlook/outlook.h"
#include "ctl/outlook/planned_taint.h"

#include <stdlib.h>

#define COST "metadata.annotations.'controller.kubernetes.io/pod-deletion-cost'"

static DisruptionEnv *gated_env(const char *disruption) {
    DisruptionEnv *env = disruption_env_new(disruption);

    env->env->settings.gate_pod_deletion_cost = true;
    env_put(env->env, "{kind: ReplicaSet, metadata: {name: web}, spec: {selector: {matchLabels: {app: x}}, template: "
                      "{metadata: {labels: {app: x}}, spec: {containers: [{name: main, image: app}]}}}}");
    return env;
}

// A node whose pod, of a ReplicaSet, fits nowhere else; none is cheaper.
static void put_full_node(DisruptionEnv *env, const char *name, const char *type, const char *cpu) {
    put_pool_node(env, name, type, "spot");
    put_bound_pod(env, name, name, cpu);
    env_put(
        env->env,
        "{kind: Pod, metadata: {name: %s, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: "
        "%s, controller: true}]}}",
        name, env_part(env->env, KUBE_REPLICA_SET, "web", "metadata.uid"));
}

static uint32_t place(DisruptionEnv *env, const char *node) {
    return state_outlook(env_state(env->env), env_find(env->env, KUBE_NODE, node)).place;
}

TEST(a_look_says_which_nodes_go_next_and_wakes_who_steers_by_it) {
    DisruptionEnv *env = gated_env("budgets: [{nodes: '100%'}]");

    put_full_node(env, "a", "small", "1500m");
    put_full_node(env, "b", "large", "7");
    assert_false(state_has_looked_ahead(env_state(env->env)));
    env_run(env->env, "1s");
    assert_true(state_has_looked_ahead(env_state(env->env)));
    assert_int_equal(place(env, "b"), 1);
    assert_int_equal(place(env, "a"), 2);
    assert_true(env_asked(env->env, &deletion_cost_controller, ""));
    assert_true(env_asked(env->env, &planned_taint_controller, ""));
    disruption_env_free(env);
}

TEST(without_the_gate_there_is_no_order) {
    DisruptionEnv *env = gated_env("budgets: [{nodes: '100%'}]");

    env->env->settings.gate_pod_deletion_cost = false;
    put_full_node(env, "a", "small", "1500m");
    env_run(env->env, "1s");
    assert_true(state_has_looked_ahead(env_state(env->env)));
    assert_int_equal(place(env, "a"), 0);
    disruption_env_free(env);
}

TEST(a_node_that_may_not_be_disrupted_any_more_loses_its_place) {
    DisruptionEnv *env = gated_env("budgets: [{nodes: '100%'}]");

    put_full_node(env, "a", "small", "1500m");
    env_run(env->env, "1s");
    assert_int_equal(place(env, "a"), 1);
    env_put(env->env, "{kind: Node, metadata: {name: a, annotations: {karpenter.sh/do-not-disrupt: 'true'}}}");
    env_run(env->env, "11s");
    assert_int_equal(place(env, "a"), 0);
    disruption_env_free(env);
}

// While its command is under way the command decides.
TEST(a_node_in_a_command_keeps_its_place) {
    DisruptionEnv *env = gated_env("budgets: [{nodes: '100%'}]");

    put_full_node(env, "a", "large", "1");
    put_foreign_node(env, "foreign");
    env_run(env->env, "1s"); // its pod fits elsewhere: a command is proved
    assert_int_equal(place(env, "a"), 1);
    put_full_node(env, "b", "small", "1900m");
    env_run(env->env, "12s");
    assert_true(env->looks > 1);
    assert_int_equal(place(env, "a"), 1);
    disruption_env_free(env);
}

// Both controllers together: the pods of the node that goes first are the cheapest of their ReplicaSet.
TEST(what_a_look_says_is_written_to_the_pods) {
    DisruptionEnv *env = gated_env("budgets: [{nodes: '100%'}]");

    env_add(env->env, &deletion_cost_controller);
    put_full_node(env, "a", "small", "1500m");
    put_full_node(env, "b", "large", "7");
    env_run(env->env, "2m");
    assert_true(atoi(env_part(env->env, KUBE_POD, "b", COST) + 1) < atoi(env_part(env->env, KUBE_POD, "a", COST) + 1));
    disruption_env_free(env);
}
