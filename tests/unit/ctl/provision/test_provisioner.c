// The provisioner in a test environment, with plans of the real planner. Reference scheduling.md 4, 6,
// lifecycle.md 2.2.
#include "base/buffer.h"
#include "base/time.h"
#include "ctl/provision_env.h"

#include "ctl/common/pool_limits.h"

// --- 4.2 triggers and batches

TEST(a_lone_pod_is_planned_on_the_leading_edge) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "1", "");
    plan_run(ps, "49ms");
    assert_int_equal(ps->solves, 0);
    plan_run(ps, "1ms");
    assert_int_equal(ps->solves, 1);
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    plan_env_free(ps);
}

TEST(a_pod_that_is_not_unschedulable_triggers_nothing) {
    PlanEnv *ps = with_pool();

    env_put(ps->env, "{kind: Pod, metadata: {name: web}, status: {phase: Pending}}");
    plan_run(ps, "1m");
    assert_int_equal(ps->solves, 0);
    plan_env_free(ps);
}

TEST(pods_that_come_while_the_claim_is_on_its_way_use_it) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "500m", "");
    plan_run(ps, "1s");
    put_waiting_pod(ps, "web-2", "500m", "");
    plan_run(ps, "10s");
    assert_int_equal(ps->solves, 2);
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    plan_env_free(ps);
}

TEST(w9_a_claim_that_does_not_launch_stops_no_plan) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "7", "");
    plan_run(ps, "2m"); // never launched
    put_waiting_pod(ps, "web-2", "7", "");
    plan_run(ps, "1s");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 2);
    plan_env_free(ps);
}

TEST(a_pod_with_a_claim_on_its_way_is_not_planned_again) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "7", "");
    plan_run(ps, "4m");
    assert_int_equal(ps->solves, 1);
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    plan_env_free(ps);
}

TEST(a_pod_that_is_not_bound_to_its_node_is_planned_again) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "7", "");
    plan_run(ps, "1s");
    bring_up(ps, nth_claim(ps, 0), "8");
    env_put(ps->env, "{kind: Node, metadata: {name: n-%s}, spec: {unschedulable: true}}", nth_claim(ps, 0));
    plan_run(ps, "40s");
    assert_true(ps->solves >= 2);
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 2);
    plan_env_free(ps);
}

// --- pods that kube-scheduler puts elsewhere than planned

static void bind_pod(PlanEnv *ps, const char *pod, const char *claim) {
    Slice node = arena_printf(&ps->env->arena, "n-%s", claim);
    KubeError error = {0};

    if (kube_bind(env_kube(ps->env), (KubeRef){KUBE_POD, SLICE("default"), slice_of(pod)}, (Slice){0}, node, &error) !=
        OK)
        fail_msg("bind %s: %s", pod, error.err.text);
    env_tell(ps->env);
}

// Two equal pods: each may be bound to the node that was made for the other.
TEST(a_pod_that_takes_anothers_node_leaves_its_own) {
    static const char *const names[] = {"web", "web-2"};

    for (uint32_t i = 0; i < 2; i++) {
        PlanEnv *ps = with_pool();

        put_waiting_pod(ps, names[0], "7", "");
        put_waiting_pod(ps, names[1], "7", "");
        plan_run(ps, "1s");
        bring_up(ps, nth_claim(ps, 0), "8");
        bind_pod(ps, names[i], nth_claim(ps, 0));
        plan_run(ps, "1m");
        assert_int_equal(ps->solves, 1); // the other claim is still being created
        assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 2);
        plan_env_free(ps);
    }
}

TEST(a_pod_that_is_pushed_off_its_node_is_planned_within_two_seconds) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "7", "");
    plan_run(ps, "1s");
    bring_up(ps, nth_claim(ps, 0), "8");
    env_put(ps->env, "{kind: Pod, metadata: {name: other}, spec: {containers: [{name: main, image: app, resources:"
                     " {requests: {cpu: '6'}}}]}, status: {phase: Pending}}");
    bind_pod(ps, "other", nth_claim(ps, 0));
    plan_run(ps, "2s");
    assert_int_equal(ps->solves, 2);
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 2);
    plan_env_free(ps);
}

TEST(an_unplanned_pod_on_a_node_with_room_triggers_no_plan) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "3", "");
    plan_run(ps, "1s");
    bring_up(ps, nth_claim(ps, 0), "8");
    env_put(ps->env, "{kind: Pod, metadata: {name: other}, spec: {containers: [{name: main, image: app, resources:"
                     " {requests: {cpu: '4'}}}]}, status: {phase: Pending}}");
    bind_pod(ps, "other", nth_claim(ps, 0));
    plan_run(ps, "5s");
    assert_int_equal(ps->solves, 1);
    plan_env_free(ps);
}

// Of three equal pods two have come when the first plan is made; the third is bound to one of their nodes.
TEST(the_last_of_three_equal_pods_waits_for_no_full_node) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "7", "");
    put_waiting_pod(ps, "web-2", "7", "");
    plan_run(ps, "500ms");
    bring_up(ps, nth_claim(ps, 0), "8");
    bring_up(ps, nth_claim(ps, 1), "8");
    put_waiting_pod(ps, "web-3", "7", "");
    plan_run(ps, "100ms"); // batched, as it triggers within a second of a plan
    bind_pod(ps, "web-3", nth_claim(ps, 0));
    bind_pod(ps, "web-2", nth_claim(ps, 1));
    plan_run(ps, "3s");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 3);
    plan_env_free(ps);
}

TEST(a_claim_that_goes_away_gives_its_pods_back) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "7", "");
    plan_run(ps, "1s");
    env_remove(ps->env, KUBE_NODE_CLAIM, nth_claim(ps, 0));
    plan_run(ps, "1m");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    assert_int_equal(ps->solves >= 2, 1);
    plan_env_free(ps);
}

// The pod "old" on a node that goes away; `more`: conditions of its claim, each after a comma.
static PlanEnv *with_a_node_that_goes(const char *more) {
    PlanEnv *ps = with_pool();
    const char *claim;

    put_waiting_pod(ps, "web", "7", "");
    plan_run(ps, "1s");
    claim = nth_claim(ps, 0);
    bring_up(ps, claim, "8");
    env_put(ps->env,
            "{kind: Pod, metadata: {name: old}, spec: {nodeName: n-%s, containers: [{name: main, image: app,"
            " resources: {requests: {cpu: '3'}}}]}, status: {phase: Running, conditions: [PodScheduled]}}",
            claim);
    env_remove(ps->env, KUBE_POD, "web");
    plan_run(ps, "1m");
    assert_int_equal(ps->solves, 1);
    env_put(ps->env,
            "{kind: Node, metadata: {name: n-%s}, spec: {taints: [{key: karpenter.sh/disrupted,"
            " effect: NoSchedule}]}}",
            claim);
    env_put(ps->env,
            "{kind: NodeClaim, metadata: {name: %s, finalizers: [karpenter.sh/termination]}, status: {conditions: "
            "[Launched, Registered, Initialized, Ready%s]}}",
            claim, more);
    env_delete(ps->env, KUBE_NODE_CLAIM, claim);
    plan_run(ps, "1s");
    assert_int_equal(ps->solves, 2);
    return ps;
}

TEST(pods_of_a_node_that_goes_away_are_planned_before_they_are_evicted) {
    PlanEnv *ps = with_a_node_that_goes("");

    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 2);
    plan_run(ps, "1m");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 2);
    plan_env_free(ps);
}

// It was proved that they fit elsewhere, though this plan does not see where.
TEST(pods_that_consolidation_moves_get_no_node_before_they_are_evicted) {
    PlanEnv *ps = with_a_node_that_goes(", DisruptionReason/Underutilized");

    plan_run(ps, "1m");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    env_remove(ps->env, KUBE_POD, "old");
    put_waiting_pod(ps, "new", "3", "");
    plan_run(ps, "15s");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 2);
    plan_env_free(ps);
}

// --- pods that no plan can place

TEST(a_pod_without_place_is_tried_later_and_later) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "100", "");
    plan_run(ps, "9s");
    assert_int_equal(ps->solves, 1);
    plan_run(ps, "10m");
    assert_true(ps->solves >= 6 && ps->solves <= 10); // 10 s, 20 s, … 2 m
    plan_env_free(ps);
}

TEST(a_new_pool_helps_at_once) {
    PlanEnv *ps = plan_env();

    put_waiting_pod(ps, "web", "1", "");
    assert_has(plan_run(ps, "3m"), "log info no dynamic nodepools found");
    put_ready_pool(ps, "default", "");
    plan_run(ps, "1100ms");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    plan_env_free(ps);
}

TEST(a_pool_that_is_not_ready_gets_nothing) {
    PlanEnv *ps = plan_env();

    env_put(ps->env, "{kind: NodePool, metadata: {name: default}}");
    put_waiting_pod(ps, "web", "1", "");
    assert_has(plan_run(ps, "1s"), "log error ignoring nodepool, not ready NodePool=default");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 0);
    plan_env_free(ps);
}

TEST(a_market_that_changes_helps_within_ten_seconds) {
    PlanEnv *ps = with_pool();

    ps->sold_out = "large";
    make_types(ps);
    put_waiting_pod(ps, "web", "7", "");
    plan_run(ps, "3m");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 0);
    ps->sold_out = NULL;
    make_types(ps);
    plan_run(ps, "11s");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    plan_env_free(ps);
}

// --- 6.1 the claim

TEST(the_claim_is_written_as_karpenter_writes_it) {
    PlanEnv *ps = plan_env();
    const char *claim, *history;

    put_ready_pool(ps, "default",
                   "template: {metadata: {labels: {team: a}, annotations: {note: x}}, spec: {expireAfter: 48h,"
                   " terminationGracePeriod: 1h, taints: [{key: dedicated, value: gpu, effect: NoSchedule}],"
                   " startupTaints: [{key: init, effect: NoExecute}], requirements:"
                   " [{key: topology.kubernetes.io/zone, operator: In, values: [zone-b]},"
                   " {key: tier, operator: In, values: [gold]}]}}");
    put_waiting_pod(ps, "web", "7", ", tolerations: [{operator: Exists}]");
    history = plan_run(ps, "1s");
    claim = nth_claim(ps, 0);
    assert_non_null(claim);
    assert_int_equal(strncmp(claim, "default-", 8), 0);
    assert_string_equal(env_part(ps->env, KUBE_NODE_CLAIM, claim, "metadata.generateName"), "\"default-\"");
    assert_string_equal(env_part(ps->env, KUBE_NODE_CLAIM, claim, "metadata.labels"),
                        "{\"karpenter.kwok.sh/kwoknodeclass\":\"default\",\"karpenter.sh/nodepool\":\"default\","
                        "\"team\":\"a\",\"tier\":\"gold\"}");
    assert_string_equal(env_part(ps->env, KUBE_NODE_CLAIM, claim, "spec.taints"),
                        "[{\"effect\":\"NoSchedule\",\"key\":\"dedicated\",\"value\":\"gpu\"}]");
    assert_string_equal(env_part(ps->env, KUBE_NODE_CLAIM, claim, "spec.startupTaints"),
                        "[{\"effect\":\"NoExecute\",\"key\":\"init\"}]");
    assert_string_equal(env_part(ps->env, KUBE_NODE_CLAIM, claim, "spec.expireAfter"), "\"48h\"");
    assert_string_equal(env_part(ps->env, KUBE_NODE_CLAIM, claim, "spec.terminationGracePeriod"), "\"1h\"");
    assert_string_equal(env_part(ps->env, KUBE_NODE_CLAIM, claim, "spec.nodeClassRef"),
                        "{\"group\":\"karpenter.kwok.sh\",\"kind\":\"KWOKNodeClass\",\"name\":\"default\"}");
    assert_string_equal(env_part(ps->env, KUBE_NODE_CLAIM, claim, "spec.resources.requests"),
                        "{\"cpu\":\"7\",\"pods\":\"1\"}");
    assert_string_equal(
        env_part(ps->env, KUBE_NODE_CLAIM, claim, "spec.requirements"),
        "[{\"key\":\"karpenter.kwok.sh/kwoknodeclass\",\"operator\":\"In\",\"values\":[\"default\"]},"
        "{\"key\":\"karpenter.sh/capacity-type\",\"operator\":\"In\",\"values\":[\"on-demand\",\"spot\"]},"
        "{\"key\":\"karpenter.sh/nodepool\",\"operator\":\"In\",\"values\":[\"default\"]},"
        "{\"key\":\"node.kubernetes.io/instance-type\",\"operator\":\"In\",\"values\":[\"large\"]},"
        "{\"key\":\"team\",\"operator\":\"In\",\"values\":[\"a\"]},"
        "{\"key\":\"tier\",\"operator\":\"In\",\"values\":[\"gold\"]},"
        "{\"key\":\"topology.kubernetes.io/zone\",\"operator\":\"In\",\"values\":[\"zone-b\"]}]");
    assert_string_equal(
        env_part(ps->env, KUBE_NODE_CLAIM, claim, "metadata.annotations.'karpenter.sh/nodepool-hash-version'"),
        "\"v3\"");
    assert_string_equal(
        env_part(ps->env, KUBE_NODE_CLAIM, claim, "metadata.annotations.'karpenter.sh/nodeclaim-min-values-relaxed'"),
        "\"false\"");
    assert_string_equal(env_part(ps->env, KUBE_NODE_CLAIM, claim, "metadata.annotations.note"), "\"x\"");
    assert_has(env_part(ps->env, KUBE_NODE_CLAIM, claim, "metadata.ownerReferences"),
               "\"blockOwnerDeletion\":true,\"kind\":\"NodePool\",\"name\":\"default\"");
    assert_has(history, "log info found provisionable pod(s) Pods=default/web duration=");
    assert_has(history, "log info computed new nodeclaim(s) to fit pod(s) nodeclaims=1 pods=1");
    assert_has(history, "requests={\"cpu\":\"7\",\"pods\":\"1\"} instance-types=large");
    assert_has(history, "event Normal pod/default/web Nominated: Pod should schedule on: nodeclaim/default-");
    plan_env_free(ps);
}

// --- 2.2 limits

TEST(limits_are_looked_at_again_when_the_claim_is_created) {
    PlanEnv *ps = plan_env();
    const char *history;

    put_ready_pool(ps, "default", "limits: {cpu: '16'}");
    put_waiting_pod(ps, "web", "7", "");
    ps->env->history = &ps->history;
    plan_run(ps, "1ms");
    ps->env->now_ns += 50 * NS_PER_MS;
    env_reconcile(ps->env, "");
    // The plan is made, and then the limit is lowered.
    plan_solve_now(ps, &(SolveIntent){.search = ps->env->settings.search});
    env_put(ps->env, "{kind: NodePool, metadata: {name: default}, spec: {limits: {cpu: '5'}}}");
    ps->history.len = 0;
    ps->env->history = &ps->history;
    env_carry_out(ps->env);
    history = arena_text(&ps->env->arena, buffer_slice(&ps->history));
    ps->env->history = NULL;
    assert_has(history, "resource usage exceeds limit (limit=5, resource-name=cpu, usage=0)");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 0);
    plan_env_free(ps);
}

// A replacement of disruption, which no snapshot had when the plan was asked for.
TEST(room_that_others_ordered_meanwhile_is_not_used_twice) {
    PlanEnv *ps = plan_env();
    Resources most = {0};
    const char *said;
    uint32_t order;

    put_ready_pool(ps, "default", "limits: {cpu: '16'}");
    put_waiting_pod(ps, "web", "7", "");
    plan_run(ps, "1ms");
    ps->env->now_ns += 50 * NS_PER_MS;
    env_reconcile(ps->env, "");
    plan_solve_now(ps, &(SolveIntent){.search = ps->env->settings.search});
    resources_set(&ps->types_arena, &most, NAME_CPU, 9000);
    order = state_order(ps->env->state, env_symbol(ps->env, "default"), &most);
    env_carry_out(ps->env);
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 0); // of 8 CPUs, though its pod asks for 7
    state_order_failed(ps->env->state, order, (Mono){0});
    said = plan_run(ps, "20s");
    assert_has(said, "created nodeclaim");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    plan_env_free(ps);
}

TEST(limits_text_names_what_is_used) {
    PlanEnv *ps = plan_env();
    Resources usage = {0};
    const NodePool *pool;
    Slice text;

    put_ready_pool(ps, "default", "limits: {cpu: '10', nodes: '2'}");
    pool = state_node_pool(env_state(ps->env), env_find(ps->env, KUBE_NODE_POOL, "default"));
    resources_set(&ps->types_arena, &usage, NAME_CPU, 10000);
    assert_int_equal(pool_limits_complaint(&ps->types_arena, state_symbols(ps->env->state), pool, &usage, NULL).len,
                     0); // strictly greater
    resources_set(&ps->types_arena, &usage, NAME_CPU, 12500);
    text = pool_limits_complaint(&ps->types_arena, state_symbols(ps->env->state), pool, &usage, NULL);
    assert_true(slice_eq_text(text, "resource usage exceeds limit (limit=10, resource-name=cpu, usage=12500m)"));
    plan_env_free(ps);
}

TEST(a_pool_that_went_since_gets_no_claim) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "7", "");
    plan_run(ps, "1ms");
    ps->env->now_ns += 50 * NS_PER_MS;
    env_reconcile(ps->env, "");
    plan_solve_now(ps, &(SolveIntent){.search = ps->env->settings.search});
    env_remove(ps->env, KUBE_NODE_POOL, "default");
    env_carry_out(ps->env);
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 0);
    plan_env_free(ps);
}

TEST(a_pod_that_went_since_gets_no_claim) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "7", "");
    plan_run(ps, "1ms");
    ps->env->now_ns += 50 * NS_PER_MS;
    env_reconcile(ps->env, "");
    plan_solve_now(ps, &(SolveIntent){.search = ps->env->settings.search});
    env_remove(ps->env, KUBE_POD, "web");
    env_carry_out(ps->env);
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 0);
    plan_env_free(ps);
}

// --- 6.2 events

TEST(failed_scheduling_is_said_once_in_five_minutes) {
    PlanEnv *ps = with_pool();
    const char *history;

    put_waiting_pod(ps, "web", "100", "");
    history = plan_run(ps, "4m50s");
    assert_int_equal(count_text(history, "event Warning pod/default/web FailedScheduling: Failed to schedule pod, "),
                     1);
    assert_int_equal(count_text(history, "log error could not schedule pod Pod=default/web"), 1);
    assert_int_equal(count_text(plan_run(ps, "5m"), "FailedScheduling"), 1);
    plan_env_free(ps);
}

TEST(a_daemon_set_that_fits_no_type_is_told_and_keeps_nobody_waiting) {
    PlanEnv *ps = with_pool();
    const char *history;

    env_put(ps->env, "{kind: DaemonSet, metadata: {name: hog}, spec: {selector: {matchLabels: {app: hog}}, template: "
                     "{metadata: {labels: {app: hog}}, spec: {containers: [{name: main, image: hog, resources: "
                     "{requests: {cpu: 1000}}}]}}}}");
    put_waiting_pod(ps, "web", "1", "");
    put_waiting_pod(ps, "big", "100", "");
    history = plan_run(ps, "4m50s");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    assert_has(history,
               "DaemonSetTooLarge: DaemonSet default/hog: its pods fit on no instance type of nodepool default");
    plan_env_free(ps);
}

TEST(an_ignored_pod_is_told_why) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "1", ", nodeSelector: {kubernetes.io/hostname: x}");
    assert_has(plan_run(ps, "1s"), "FailedScheduling: Failed to schedule pod, ignoring pod, ");
    plan_env_free(ps);
}

TEST(a_pod_that_keeps_away_from_karpenter_gets_no_event) {
    PlanEnv *ps = with_pool();
    const char *history;

    put_waiting_pod(ps, "web", "1",
                    ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms:"
                    " [{matchExpressions: [{key: karpenter.sh/nodepool, operator: DoesNotExist}]}]}}}");
    history = plan_run(ps, "1s");
    assert_has(history, "log debug ignoring pod Pod=default/web");
    assert_has_not(history, "FailedScheduling");
    plan_env_free(ps);
}

TEST(no_compatible_instance_types_is_said_of_the_pool) {
    PlanEnv *ps = plan_env();

    put_ready_pool(ps, "default",
                   "template: {spec: {requirements: [{key: node.kubernetes.io/instance-type, operator: In,"
                   " values: [nothing]}]}}");
    put_waiting_pod(ps, "web", "1", "");
    assert_has(plan_run(ps, "1s"), "event Warning nodepool/default NoCompatibleInstanceTypes: NodePool requirements "
                                   "filtered out all compatible available instance types\n");
    plan_env_free(ps);
}

TEST(of_a_pool_with_too_few_types_for_min_values_that_is_said) {
    PlanEnv *ps = plan_env();
    const char *history;

    put_ready_pool(ps, "default",
                   "template: {spec: {requirements: [{key: node.kubernetes.io/instance-type, operator: Exists,"
                   " minValues: 3}]}}");
    put_waiting_pod(ps, "web", "1", "");
    history = plan_run(ps, "1s");
    assert_has(history,
               "event Warning nodepool/default NoCompatibleInstanceTypes: NodePool requirements filtered out all"
               " compatible available instance types due to minValues incompatibility");
    plan_env_free(ps);
}

TEST(an_existing_node_is_nominated_for_twenty_seconds) {
    PlanEnv *ps = with_pool();
    const char *history, *claim;
    Handle node;
    char path[128];

    put_waiting_pod(ps, "web", "2", "");
    plan_run(ps, "1s");
    claim = nth_claim(ps, 0);
    bring_up(ps, claim, "8");
    env_remove(ps->env, KUBE_POD, "web");
    plan_run(ps, "10s");
    put_waiting_pod(ps, "web-2", "2", "");
    history = plan_run(ps, "50ms");
    assert_has(history, "event Normal pod/default/web-2 Nominated: Pod should schedule on: nodeclaim/default-");
    assert_has(history, ", node/n-default-");
    snprintf(path, sizeof path, "n-%s", claim);
    node = env_find(ps->env, KUBE_NODE, path);
    assert_int_equal(state_nominated_until(env_state(ps->env), node).ns - env_now_ns(ps->env), 20 * NS_PER_S);
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    plan_env_free(ps);
}

// --- 6.3 lines of the log

TEST(the_log_says_what_is_decided) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "1", "");
    assert_has(plan_run(ps, "1s"), "log debug computing scheduling decision for provisionable pod(s) pending-pods=1 "
                                   "deleting-pods=0\n");
    plan_env_free(ps);
}

TEST(more_than_five_pods_are_counted) {
    PlanEnv *ps = with_pool();
    char name[8];

    for (char letter = 'a'; letter <= 'h'; letter++) {
        snprintf(name, sizeof name, "%c", letter);
        put_waiting_pod(ps, name, "100m", "");
    }
    assert_has(plan_run(ps, "1s"),
               "log info found provisionable pod(s) Pods=default/a, default/b, default/c, default/d, "
               "default/e and 3 other(s) duration=");
    plan_env_free(ps);
}

TEST(preferences_that_may_prevent_consolidation_are_said_once) {
    static const char *const apart = "log info pod(s) have a preferred Anti-Affinity which can prevent consolidation "
                                     "pods=default/web\n";
    static const char *const spread = "log info pod(s) have a preferred TopologySpreadConstraint which can prevent "
                                      "consolidation pods=default/web\n";
    PlanEnv *ps = with_pool();
    const char *history;

    put_waiting_pod(ps, "web", "100",
                    ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone,"
                    " whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: web}}}], affinity:"
                    " {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm:"
                    " {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}}]}}");
    history = plan_run(ps, "10m");
    assert_true(ps->solves > 2);
    assert_int_equal(count_text(history, apart), 1);
    assert_int_equal(count_text(history, spread), 1);
    plan_env_free(ps);
}

TEST(preferences_that_are_dropped_are_said_once) {
    PlanEnv *ps = with_pool();
    Buffer spec = {0};
    const char *history;

    buffer_printf(&spec, ", topologySpreadConstraints: [");
    for (int i = 0; i < 40; i++)
        buffer_printf(&spec,
                      "%s{maxSkew: 1, topologyKey: x.io/k%d, whenUnsatisfiable: ScheduleAnyway, labelSelector: "
                      "{matchLabels: {app: web}}}",
                      i ? ", " : "", i);
    buffer_printf(&spec, "]");
    put_waiting_pod(ps, "web", "100", spec.bytes);
    history = plan_run(ps, "10m");

    assert_true(ps->solves > 2);
    assert_int_equal(count_text(history, "event Warning pod/default/web PreferencesDropped: 8 of the pod's preferences "
                                         "are not planned for, those with the lowest weights"),
                     1);
    plan_env_free(ps);
    buffer_free(&spec);
}

// With every plan; the recorder publishes the event once an hour.
TEST(bound_pods_of_whose_rules_not_all_are_read_are_told) {
    PlanEnv *ps = with_pool();
    Buffer terms = {0};
    const char *history;

    for (int i = 0; i < 65; i++)
        buffer_printf(&terms,
                      "%s{topologyKey: kubernetes.io/hostname, namespaces: [default], labelSelector: {matchLabels: "
                      "{app: a%d}}}",
                      i ? ", " : "", i);
    env_put(ps->env,
            "{kind: Pod, metadata: {name: long}, spec: {nodeName: n1, affinity: {podAntiAffinity: "
            "{requiredDuringSchedulingIgnoredDuringExecution: [%s]}}, containers: [{name: c, image: c}]}}",
            terms.bytes);
    put_waiting_pod(ps, "web", "100", "");
    history = plan_run(ps, "10m");

    assert_true(ps->solves > 2);
    assert_int_equal(count_text(history, "event Warning pod/default/long AntiAffinityReadInPart: the pod, or its "
                                         "namespace, has more terms"),
                     ps->solves);
    plan_env_free(ps);
    buffer_free(&terms);
}

TEST(a_pod_that_asks_too_much_is_told_and_others_get_their_node) {
    PlanEnv *ps = with_pool();
    Buffer spec = {0};
    const char *history;

    buffer_printf(&spec, ", tolerations: [");
    for (int i = 0; i < 255; i++) // the API server adds two
        buffer_printf(&spec, "%s{key: k%d, operator: Exists}", i ? ", " : "", i);
    buffer_printf(&spec, "]");
    put_waiting_pod(ps, "big", "1", spec.bytes);
    put_waiting_pod(ps, "web", "1", "");
    history = plan_run(ps, "1m");

    assert_has(history, "event Warning pod/default/big FailedScheduling: Failed to schedule pod, ignoring pod, the pod "
                        "has 257 tolerations, more than the 256 that are planned for");
    assert_has(history, "event Normal pod/default/web Nominated: Pod should schedule on: nodeclaim/default-");
    plan_env_free(ps);
    buffer_free(&spec);
}

// --- 4.1, 4.2: pods that are tried again

// Preemption makes room for it: kube-scheduler has nominated a node.
TEST(a_pod_with_a_nominated_node_waits_for_that) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "1", "");
    env_put(ps->env, "{kind: Pod, metadata: {name: web}, status: {nominatedNodeName: elsewhere}}");
    plan_run(ps, "5m");
    assert_int_equal(ps->solves, 0);
    env_put(ps->env, "{kind: Pod, metadata: {name: web}, status: {nominatedNodeName: null}}");
    plan_run(ps, "1s");
    assert_int_equal(ps->solves, 1);
    plan_env_free(ps);
}

TEST(pods_that_are_bound_elsewhere_are_reason_to_try_within_half_a_minute) {
    PlanEnv *ps = with_pool();
    uint32_t solves;

    put_waiting_pod(ps, "web", "100", "");
    plan_run(ps, "10m"); // by now it is tried every two minutes
    env_put(ps->env, "{kind: Pod, metadata: {name: other}, spec: {nodeName: some-node}, status: {phase: Running}}");
    plan_run(ps, "1s");
    solves = ps->solves;
    env_remove(ps->env, KUBE_POD, "other");
    plan_run(ps, "40s");
    assert_true(ps->solves > solves);
    plan_env_free(ps);
}

TEST(one_pod_is_planned_fast_and_without_a_floor) {
    PlanEnv *ps = with_pool();
    const IntentVec *intents;
    const SolveIntent *solve = NULL;

    ps->env->settings.search = (PlanSearch){.effort = EFFORT_NORMAL};
    put_waiting_pod(ps, "a", "1", "");
    for (uint32_t pods = 1; pods <= 2; pods++) {
        env_start(ps->env);
        ps->env->now_ns += NS_PER_S;
        env_reconcile(ps->env, "");
        intents = env_intents(ps->env);
        for (vec_each(const Intent, intent, intents))
            solve = intent->type == INTENT_SOLVE ? &intent->solve : solve;
        assert_non_null(solve);
        assert_int_equal(solve->search.effort, pods == 1 ? EFFORT_FAST : EFFORT_NORMAL);
        assert_true(solve->search.skip_floor);
        plan_solve_now(ps, solve);
        env_carry_out(ps->env);
        put_waiting_pod(ps, "b", "1", "");
        ps->env->now_ns += NS_PER_S;
    }
    plan_env_free(ps);
}

// --- failing calls

TEST(a_create_that_fails_is_tried_again_after_five_seconds) {
    PlanEnv *ps = with_pool();

    env_break(ps->env, INTENT_CREATE, 1, ERR_IO, "the API server is away");
    put_waiting_pod(ps, "web", "1", "");
    assert_has(plan_run(ps, "4s"), "log error Reconciler error NodePool=default error=creating node claim, the API "
                                   "server is away");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 0);
    plan_run(ps, "3s");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    assert_int_equal(
        launch_budget_find(&provisioner_of(ps)->budgets, (LaunchOffering){.pool = env_symbol(ps->env, "default")})
            ->on_way,
        1);
    plan_env_free(ps);
}

TEST(of_two_claims_one_fails_and_only_its_pod_is_planned_again) {
    PlanEnv *ps = with_pool();

    env_break(ps->env, INTENT_CREATE, 1, ERR_DENIED, "no");
    put_waiting_pod(ps, "a", "7", "");
    put_waiting_pod(ps, "b", "7", "");
    plan_run(ps, "1s");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    plan_run(ps, "20s");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 2);
    plan_env_free(ps);
}

TEST(a_solve_that_fails_is_tried_again) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "web", "1", "");
    plan_run(ps, "1ms");
    ps->env->now_ns += 50 * NS_PER_MS;
    env_reconcile(ps->env, "");
    env_carry_out(ps->env); // no solver: ERR_INVALID
    plan_run(ps, "3s");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    plan_env_free(ps);
}

// --- changes.md 5.2, users.md #19

TEST(pods_of_a_launch_without_capacity_are_told_and_planned_anew) {
    PlanEnv *ps = with_pool();
    const char *claim, *texts;
    char path[256];
    EnvTurn turn;
    IntentVec intents = {0};
    Provisioner *provisioner;
    const LaunchBudget *budget;

    put_waiting_pod(ps, "web", "7", "");
    plan_run(ps, "1s");
    claim = nth_claim(ps, 0);
    env_turn_begin(ps->env, &turn, &provisioner_controller, &ps->env->arena, &intents);
    provision_no_capacity(&turn.turn, state_node_claim(ps->env->state, env_find(ps->env, KUBE_NODE_CLAIM, claim)),
                          SLICE("sold out"));
    snprintf(path, sizeof path, "sold out/%s", claim);
    assert_string_equal(env_due(ps->env, path), "0s");
    env_remove(ps->env, KUBE_NODE_CLAIM, claim); // in either order
    texts = env_reconcile(ps->env, path);
    snprintf(path, sizeof path,
             "event Warning pod/default/web InsufficientCapacityError: NodeClaim %s, nominated for this pod failed to "
             "launch: sold out\n",
             claim);
    assert_string_equal(texts, path);
    provisioner = provisioner_of(ps);
    budget = launch_budget_find(&provisioner->budgets, (LaunchOffering){.pool = env_symbol(ps->env, "default"),
                                                                        .type = env_symbol(ps->env, "large"),
                                                                        .capacity_type = env_symbol(ps->env, "spot")});
    assert_non_null(budget);
    assert_int_equal(budget->failures, 1);
    assert_int_equal(budget->on_way, 0);
    // The offering is closed: nothing is created before it opens, one claim when it does, however clocks are set.
    env_set_clock(ps->env, "-1h");
    assert_has(plan_run(ps, "14s"), "log info holding back nodeclaim(s), launches are limited NodePool=default "
                                    "instance-type=large capacity-type=spot nodeclaims=1 until=1");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 0);
    plan_run(ps, "4s");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 1);
    plan_env_free(ps);
}

// --- a process that dies

TEST(after_a_restart_pods_find_their_claims) {
    PlanEnv *ps = with_pool();

    put_waiting_pod(ps, "a", "7", "");
    put_waiting_pod(ps, "b", "7", "");
    plan_run(ps, "1s");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 2);
    plan_env_restart(ps);
    plan_run(ps, "5m");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 2);
    plan_env_free(ps);
}
