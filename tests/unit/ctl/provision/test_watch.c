// The provisioner with watches that are slow, that lag behind each other, or with a process that dies: the same pods
// never get nodes twice, and nothing is forgotten. Reference lifecycle.md 2.2, W9; scheduling.md 7.4.
#include "base/time.h"
#include "ctl/provision_env.h"

static uint32_t claims(PlanEnv *ps) {
    return env_count(ps->env, KUBE_NODE_CLAIM);
}

static const char *name_of_node(PlanEnv *ps, uint32_t n) {
    return arena_printf(&ps->env->arena, "n-%s", nth_claim(ps, n)).ptr;
}

static void bind(PlanEnv *ps, const char *pod, const char *node) {
    KubeError error;

    if (kube_bind(env_kube(ps->env), (KubeRef){KUBE_POD, SLICE("default"), slice_of(pod)}, (Slice){0}, slice_of(node),
                  &error) != OK)
        fail_msg("bind %s: %s", pod, error.err.text);
    env_tell(ps->env);
}

// The claim launches and its node comes up, which the watch reports an hour later.
TEST(claim_events_may_be_delayed_by_an_hour) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "a", "7", "");
    put_waiting_pod(ps, "b", "7", "");
    plan_run(ps, "1s");
    assert_int_equal(claims(ps), 2);
    env_put_unseen(ps->env,
                   "{kind: NodeClaim, metadata: {name: %s}, status: {providerID: 'kwok://x', conditions: "
                   "[Launched, Registered, Initialized]}}",
                   nth_claim(ps, 0));
    for (uint32_t i = 0; i < 360; i++) {
        ps->env->now_ns += 10 * NS_PER_S;
        if (due_ns(ps) <= ps->env->now_ns)
            env_reconcile(ps->env, "");
        assert_int_equal(env_intents(ps->env)->count, 0);
    }
    env_tell(ps->env);
    plan_run(ps, "1m");
    assert_int_equal(claims(ps), 2);
    plan_env_free(ps);
}

// The node is up and the pods are bound, which the watch of pods reports ten minutes later.
TEST(pod_events_may_be_delayed_by_ten_minutes) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "a", "3", "");
    put_waiting_pod(ps, "b", "3", "");
    plan_run(ps, "1s");
    assert_int_equal(claims(ps), 1);
    bring_up(ps, nth_claim(ps, 0), "8");
    plan_run(ps, "10m"); // to the State the pods wait all the time
    assert_int_equal(claims(ps), 1);
    bind(ps, "a", name_of_node(ps, 0));
    bind(ps, "b", name_of_node(ps, 0));
    plan_run(ps, "10m");
    assert_int_equal(claims(ps), 1);
    plan_env_free(ps);
}

// The nodes of 20 claims come up one after the other while their pods are bound late and out of order.
TEST(pods_and_nodes_come_in_any_order) {
    PlanEnv *ps = with_pool();
    char pod[16];

    for (uint32_t i = 0; i < 20; i++) {
        snprintf(pod, sizeof pod, "web-%u", i);
        put_waiting_pod(ps, pod, "7", "");
    }
    plan_run(ps, "2s");
    assert_int_equal(claims(ps), 20);
    for (uint32_t i = 0; i < 20; i++) {
        bring_up(ps, nth_claim(ps, i), "8");
        plan_run(ps, "3s");
        if (i % 2 == 0)
            continue;
        snprintf(pod, sizeof pod, "web-%u", i);
        bind(ps, pod, name_of_node(ps, i - 1));
        snprintf(pod, sizeof pod, "web-%u", i - 1);
        bind(ps, pod, name_of_node(ps, i));
    }
    plan_run(ps, "10m");
    assert_int_equal(claims(ps), 20);
    plan_env_free(ps);
}

// The API server created the claim but the reply was lost; the watch reports it.
TEST(an_answer_is_lost) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "7", "");
    env_break(ps->env, INTENT_CREATE, 1, ERR_IO, "connection reset");
    plan_run(ps, "1s");
    assert_int_equal(claims(ps), 0);
    env_put(ps->env, "{kind: NodeClaim, metadata: {name: default-x, labels: {karpenter.sh/nodepool: default}}, spec:"
                     " {requirements: [{key: karpenter.sh/nodepool, operator: In, values: [default]},"
                     " {key: node.kubernetes.io/instance-type, operator: In, values: [large]}],"
                     " resources: {requests: {cpu: '7', pods: '1'}}}}");
    plan_run(ps, "4m");
    assert_int_equal(claims(ps), 1);
    plan_env_free(ps);
}

// The same without a report by the watch: the API server is read before the next plan.
TEST(a_claim_without_an_event_is_read) {
    PlanEnv *ps = with_pool();
    const char *history;

    put_waiting_pod(ps, "web", "7", "");
    env_lose_answer(ps->env, INTENT_CREATE, 1, ERR_TIMEOUT, "context deadline exceeded");
    env_break(ps->env, INTENT_READ, 1, ERR_IO, "connection reset");
    history = plan_run(ps, "4m");
    assert_int_equal(env_times(history, "create NodeClaim"), 1);
    assert_int_equal(env_times(history, "read nodeclaims.karpenter.sh"), 2);
    assert_int_equal(claims(ps), 1);
    plan_env_free(ps);
}

// Killed after any of its intents, and started again: each pod has one node in the end.
TEST(killed_anywhere_no_pod_gets_two_nodes) {
    for (uint32_t after = 0; after < 8; after++) {
        PlanEnv *ps = with_pool();
        char pod[16];

        for (uint32_t i = 0; i < 6; i++) {
            snprintf(pod, sizeof pod, "web-%u", i);
            put_waiting_pod(ps, pod, "7", "");
        }
        env_break(ps->env, INTENT_CREATE, after < 6 ? 6 - after : 0, ERR_IO, "the process is gone");
        plan_run(ps, "200ms");
        plan_env_restart(ps);
        plan_run(ps, "1m");
        assert_int_equal(claims(ps), 6);
        plan_env_free(ps);
    }
}

// During one slow launch (lifecycle.md W9) other pods are planned at once, and no pod twice.
TEST(a_launch_of_five_minutes_delays_no_other) {
    PlanEnv *ps = with_pool();
    char pod[16];

    put_waiting_pod(ps, "slow", "7", "");
    for (uint32_t i = 0; i < 10; i++) {
        snprintf(pod, sizeof pod, "web-%u", i);
        plan_run(ps, "30s");
        put_waiting_pod(ps, pod, "7", "");
        plan_run(ps, "100ms");
        assert_int_equal(claims(ps), 2 + i);
    }
    assert_true(ps->solves <= 11);
    plan_env_free(ps);
}

// A burst of 400 pods over four seconds is gathered; the first NodeClaims do not wait for its end.
TEST(a_burst_is_gathered_and_its_first_pods_do_not_wait) {
    PlanEnv *ps = with_pool();
    uint32_t first = 0;
    char pod[16];

    for (uint32_t i = 0; i < 400; i++) {
        snprintf(pod, sizeof pod, "web-%u", i);
        put_waiting_pod(ps, pod, "7", "");
        plan_run(ps, "10ms");
        if (i == 100)
            first = claims(ps);
    }
    plan_run(ps, "1s");
    assert_true(first > 0);
    assert_true(ps->solves <= 4);
    plan_env_free(ps);
}
