// Pods that take too long to plan: left out of the plans of the others, and tried alone. docs/run.md.
#include "base/time.h"
#include "ctl/provision_env.h"

// A pod with so many preferred spreads that it cannot be planned in little time, even alone.
static void put_dear_pod(PlanEnv *ps, const char *name) {
    Buffer spec = {0};

    buffer_printf(&spec, ", topologySpreadConstraints: [");
    for (uint32_t i = 0; i < 32; i++)
        buffer_printf(&spec,
                      "%s{topologyKey: k%u, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway,"
                      " labelSelector: {matchLabels: {a: b}}}",
                      i ? ", " : "", i);
    buffer_printf(&spec, "]%c", '\0');
    put_waiting_pod(ps, name, "1", spec.bytes);
    buffer_free(&spec);
}

static PlanEnv *with_little_time(void) {
    PlanEnv *ps = with_pool();

    ps->env->settings.search.deadline_ns = NS_PER_MS / 20;
    return ps;
}

TEST(others_are_planned_beside_a_pod_that_takes_too_long) {
    PlanEnv *ps = with_little_time();
    const char *history;

    put_dear_pod(ps, "dear");
    put_waiting_pod(ps, "web", "7", "");
    put_waiting_pod(ps, "web-2", "7", "");
    history = plan_run(ps, "5s");
    assert_int_equal(ps->solves, 1);
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 2);
    assert_has(history, "take too long to plan and are set aside");
    assert_has(history, "FailedScheduling");
    assert_has(history, "planning it takes too long");
    put_waiting_pod(ps, "web-3", "7", "");
    plan_run(ps, "5s");
    assert_int_equal(ps->solves, 2);
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 3);
    assert_int_equal(ps->solved.plan->unplaced.count, 1); // left out of it
    assert_true(ps->solved.plan->unplaced.items[0].aside);
    plan_env_free(ps);
}

// After 30 s, then twice as long each time: at 30, 90, 210 and 450 s.
TEST(a_slow_pod_is_tried_alone_with_growing_pauses) {
    PlanEnv *ps = with_little_time();

    put_dear_pod(ps, "dear");
    plan_run(ps, "29s");
    assert_int_equal(ps->solves, 1);
    plan_run(ps, "31s");
    assert_int_equal(ps->solves, 2);
    plan_run(ps, "8m");
    assert_int_equal(ps->solves, 5);
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 0);
    plan_env_free(ps);
}

TEST(a_pod_that_is_planned_alone_rejoins_the_others) {
    PlanEnv *ps = with_little_time();

    put_dear_pod(ps, "dear");
    plan_run(ps, "5s");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 0);
    ps->env->settings.search.deadline_ns = 10 * NS_PER_S;
    plan_run(ps, "40s");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    put_waiting_pod(ps, "web", "7", "");
    plan_run(ps, "5s");
    assert_int_equal(ps->solved.plan->unplaced.count, 0);
    plan_env_free(ps);
}

// Pods that were set aside are tried even if there are pods that no plan can place.
TEST(pods_set_aside_are_tried_though_another_pod_has_no_place) {
    PlanEnv *ps = with_little_time();

    put_dear_pod(ps, "dear");
    put_waiting_pod(ps, "giant", "900", "");
    plan_run(ps, "5s");
    ps->env->settings.search.deadline_ns = 10 * NS_PER_S;
    plan_run(ps, "1m30s");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    plan_env_free(ps);
}
