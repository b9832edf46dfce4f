// Events about preferred rules that pods do without, with --preference-policy Weigh.
#include "base/buffer.h"
#include "ctl/provision_env.h"

#define GIVEN_UP "event Normal pod/default/"

static PlanEnv *weighing(void) {
    PlanEnv *ps = with_pool();

    ps->env->settings.preferences = PREFERENCES_WEIGH;
    return ps;
}

// A pod that prefers on-demand, which costs two thirds more than spot.
static void put_choosy_pod(PlanEnv *ps, const char *name, const char *cpu, int weight) {
    Buffer spec = {0};

    buffer_printf(
        &spec,
        ", affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: %d, preference:"
        " {matchExpressions: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]}}]}}",
        weight);
    put_waiting_pod(ps, name, cpu, spec.bytes);
    buffer_free(&spec);
}

TEST(pod_is_told_which_preferred_rule_it_does_without_and_its_price) {
    PlanEnv *ps = weighing();
    const char *history;

    put_choosy_pod(ps, "web", "1", 20);
    history = plan_run(ps, "1s");

    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    assert_has(history, GIVEN_UP "web PreferenceGivenUp: Planned without preferred node affinity: "
                                 "karpenter.sh/capacity-type In [on-demand] (weight 20): 67% dearer");
    plan_env_free(ps);
}

TEST(pod_that_keeps_its_rules_is_told_nothing) {
    PlanEnv *ps = weighing();
    const char *history;

    put_choosy_pod(ps, "web", "1", 80);
    history = plan_run(ps, "1s");

    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    assert_has_not(history, "PreferenceGivenUp");
    plan_env_free(ps);
}

TEST(rules_that_karpenters_way_drops_are_not_told) {
    PlanEnv *ps = with_pool();

    put_choosy_pod(ps, "web", "1", 20);
    assert_has_not(plan_run(ps, "1s"), "PreferenceGivenUp");
    plan_env_free(ps);
}

// Other pods make plans meanwhile, and its claim fails and is replaced.
TEST(pod_is_told_once_while_nothing_changes) {
    PlanEnv *ps = weighing();
    const char *history;

    put_choosy_pod(ps, "web", "1", 20);
    assert_int_equal(count_text(plan_run(ps, "1s"), GIVEN_UP "web PreferenceGivenUp"), 1);
    env_remove(ps->env, KUBE_NODE_CLAIM, nth_claim(ps, 0));
    put_waiting_pod(ps, "other", "7", "");
    history = plan_run(ps, "10m");

    assert_true(ps->solves > 1);
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    assert_int_equal(count_text(history, GIVEN_UP "web PreferenceGivenUp"), 0);
    plan_env_free(ps);
}

// Lets the pool have on-demand only, or both, and takes the first claim away.
static const char *plan_anew(PlanEnv *ps, const char *capacity_types) {
    char spec[200];

    snprintf(spec, sizeof spec,
             "template: {spec: {requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [%s]}]}}",
             capacity_types);
    put_ready_pool(ps, "default", spec);
    env_remove(ps->env, KUBE_NODE_CLAIM, nth_claim(ps, 0));
    return plan_run(ps, "10m");
}

TEST(pod_is_told_again_when_that_changes) {
    PlanEnv *ps = weighing();

    put_choosy_pod(ps, "web", "1", 20);
    assert_int_equal(count_text(plan_run(ps, "1s"), GIVEN_UP "web PreferenceGivenUp"), 1);
    assert_int_equal(count_text(plan_anew(ps, "on-demand"), GIVEN_UP "web PreferenceGivenUp"), 0);
    assert_int_equal(count_text(plan_anew(ps, "on-demand, spot"), GIVEN_UP "web PreferenceGivenUp"), 1);
    plan_env_free(ps);
}

// Of two Deployments the small one is told, too.
TEST(one_plan_tells_few_of_many_equal_pods_and_some_of_each_kind) {
    PlanEnv *ps = weighing();
    const char *history;
    char name[20];

    for (int i = 0; i < 150; i++) {
        snprintf(name, sizeof name, "web-%d", i);
        put_choosy_pod(ps, name, "100m", 20);
    }
    put_choosy_pod(ps, "api", "200m", 10);
    history = plan_run(ps, "10m");

    assert_int_equal(count_text(history, "PreferenceGivenUp"), 51); // half of the hundred for each
    assert_int_equal(count_text(history, GIVEN_UP "api PreferenceGivenUp"), 1);
    plan_env_free(ps);
}

TEST(an_event_names_five_rules) {
    PlanEnv *ps = weighing();
    Buffer spec = {0};
    const char *history;

    buffer_printf(&spec, ", affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [");
    for (int i = 0; i < 7; i++)
        buffer_printf(&spec,
                      "%s{weight: %d, preference: {matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, "
                      "values: [far-%d]}]}}",
                      i ? ", " : "", 10 + i, i);
    buffer_printf(&spec, "]}}");
    put_waiting_pod(ps, "web", "1", spec.bytes);
    history = plan_run(ps, "1s");

    assert_has(history,
               "Planned without preferred node affinity: topology.kubernetes.io/zone In [far-6] (weight 16): no "
               "place keeps it; node affinity: ");
    assert_has(history, "(weight 12): no place keeps it; and 2 other(s)");
    plan_env_free(ps);
    buffer_free(&spec);
}
