// The metrics observer: counts of changes of a cluster.
#include "base/time.h"
#include "obs/support/env.h"

#include <math.h>

FIXTURE(TestEnv, env_new, env_free);

#define BEGUN "creationTimestamp: '2026-01-01T00:00:00Z'"
#define NODE_LABELS                                                                                                    \
    "karpenter.sh/nodepool: web, topology.kubernetes.io/zone: a, node.kubernetes.io/instance-type: s-4x, "             \
    "kubernetes.io/arch: amd64, kubernetes.io/os: linux, karpenter.sh/capacity-type: spot"
#define POD(name, spec, status)                                                                                        \
    "{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: " name ", uid: uid-" name ", " BEGUN                \
    ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: r1, controller: true}]}, spec: "      \
    "{containers: [{name: main, resources: {requests: {cpu: '1', memory: 1Gi}}}]" spec "}, status: {" status "}}"
#define WAITS      "phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]"
#define RUNS       "phase: Running, conditions: [{type: Ready, status: 'True'}]"
#define NODE(meta) NODE_WITH(meta, "")
#define NODE_WITH(meta, status)                                                                                        \
    "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: un1, " BEGUN ", labels: {" NODE_LABELS meta                \
    "}, spec: {providerID: kwok://n1}, status: {capacity: {cpu: '4', memory: 8Gi, ephemeral-storage: 20Gi, pods: "     \
    "'110'}, allocatable: {cpu: '3900m', memory: 7Gi, ephemeral-storage: 20Gi, pods: '110'}" status "}}"
#define REGISTERED ", karpenter.sh/registered: 'true'}"
#define CLAIM(meta, spec, status)                                                                                      \
    "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: web-1, uid: uc1, " BEGUN                          \
    ", labels: {" NODE_LABELS "}" meta "}, spec: {requirements: [], nodeClassRef: {group: karpenter.kwok.sh, kind: "   \
    "KWOKNodeClass, name: default}" spec "}, status: {" status "}}"
#define POOL                                                                                                           \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: web, uid: up}, spec: {limits: {cpu: '100'}, "      \
    "template: {spec: {requirements: [], nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: "         \
    "default}}}}, status: {resources: {cpu: '4'}, conditions: [{type: Ready, status: 'True', reason: Ready, "          \
    "lastTransitionTime: '2026-01-01T00:00:00Z'}]}}"

TEST_F(TestEnv, env, a_pod_is_bound_and_starts_up) {
    env_put(env, POD("p1", "", WAITS));
    env_pass(env, 4);
    env_put(env, POD("p1", ", nodeName: n1", "phase: Pending"));
    assert_true(env_value(env, METRIC_PODS_BOUND, NULL) == 1);
    env_pass(env, 2.5);
    env_put(env, POD("p1", ", nodeName: n1", RUNS));
    assert_true(env_value(env, METRIC_PODS_STARTUP, NULL) == 1);
    assert_line(env_page(env), "karpenter_pods_bound_duration_seconds_sum 4");
    assert_line(env_page(env), "karpenter_pods_startup_duration_seconds{quantile=\"1\"} 6.5");
    assert_int_equal(pod_memory_count(metrics_observer_pods(env->metrics_observer)), 0);
}

TEST_F(TestEnv, env, a_pod_that_becomes_ready_again_does_not_start_up_again) {
    env_put(env, POD("p1", ", nodeName: n1", "phase: Pending"));
    env_put(env, POD("p1", ", nodeName: n1", RUNS));
    env_put(env, POD("p1", ", nodeName: n1", "phase: Running, conditions: [{type: Ready, status: 'False'}]"));
    env_put(env, POD("p1", ", nodeName: n1", RUNS));
    assert_true(env_value(env, METRIC_PODS_STARTUP, NULL) == 1);
}

// A restart of tenon must not count what happened long before.
TEST_F(TestEnv, env, what_was_there_before_is_not_counted) {
    env->listing = true;
    env_pass(env, 3600);
    env_put(env, NODE(REGISTERED));
    env_put(env, POD("p1", ", nodeName: n1", RUNS));
    env_put(env, CLAIM("", "",
                       "conditions: [{type: Drained, status: 'True', lastTransitionTime: "
                       "'2026-01-01T00:00:05Z'}]"));
    env->listing = false;
    assert_true(isnan(env_value(env, METRIC_NODES_CREATED, "web", "a", NULL)));
    assert_true(isnan(env_value(env, METRIC_PODS_BOUND, NULL)));
    assert_true(isnan(env_value(env, METRIC_PODS_STARTUP, NULL)));
    assert_true(isnan(env_value(env, METRIC_NODES_DRAINED, "web", NULL)));
}

TEST_F(TestEnv, env, pods_that_go_are_forgotten) {
    env_put(env, POD("p1", "", WAITS));
    env_put(env, POD("p2", "", WAITS));
    env_put(env, POD("p3", "", WAITS));
    assert_int_equal(pod_memory_count(metrics_observer_pods(env->metrics_observer)), 3);
    env_take(env, POD("p1", "", WAITS));
    env_put(env, POD("p2", "", "phase: Failed"));
    assert_int_equal(pod_memory_count(metrics_observer_pods(env->metrics_observer)), 1);
}

TEST_F(TestEnv, env, a_node_registers_and_goes) {
    env_put(env, NODE("}"));
    assert_true(isnan(env_value(env, METRIC_NODES_CREATED, "web", "a", NULL)));
    env_put(env, NODE(REGISTERED));
    env_put(env, NODE(REGISTERED));
    assert_true(env_value(env, METRIC_NODES_CREATED, "web", "a", NULL) == 1);
    env_pass(env, 7200);
    env_put(env, NODE(REGISTERED ", deletionTimestamp: '2026-01-01T02:00:00Z'"));
    env_pass(env, 30);
    env_take(env, NODE(REGISTERED ", deletionTimestamp: '2026-01-01T02:00:00Z'"));
    assert_true(env_value(env, METRIC_NODES_TERMINATED, "web", "a", NULL) == 1);
    assert_line(env_page(env), "karpenter_nodes_termination_duration_seconds{nodepool=\"web\",quantile=\"0.5\"} 30");
    assert_line(env_page(env), "karpenter_nodes_lifetime_duration_seconds_sum{nodepool=\"web\"} 7230");
    env_put(env, POOL);
    env_take(env, POOL);
    assert_no_line(env_page(env), "karpenter_nodes_termination_duration_seconds");
}

TEST_F(TestEnv, env, nodes_of_others_are_not_counted) {
    static const char *node = "{apiVersion: v1, kind: Node, metadata: {name: own, uid: u, labels: "
                              "{karpenter.sh/registered: 'true'}}, status: {}}";

    env_put(env, "%s", node);
    env_take(env, "%s", node);
    assert_int_equal(registry_series(env->registry, METRIC_NODES_CREATED), 0);
    assert_int_equal(registry_series(env->registry, METRIC_NODES_TERMINATED), 0);
}

TEST_F(TestEnv, env, a_claim_is_drained_and_goes) {
    static const char *going = CLAIM(", deletionTimestamp: '2026-01-01T00:01:00Z', finalizers: [a]", "",
                                     "conditions: [{type: Drained, status: 'True', lastTransitionTime: "
                                     "'2026-01-01T00:01:10Z'}, {type: InstanceTerminating, status: 'True', "
                                     "lastTransitionTime: '2026-01-01T00:01:20Z'}]");

    env_put(env, CLAIM("", "", ""));
    env_pass(env, 80);
    env_put(env, "%s", going);
    assert_true(env_value(env, METRIC_NODES_DRAINED, "web", NULL) == 1);
    env_pass(env, 20);
    env_take(env, "%s", going);
    assert_true(env_value(env, METRIC_NODECLAIMS_TERMINATED, "web", "spot", "a", NULL) == 1);
    assert_line(env_page(env), "karpenter_nodeclaims_termination_duration_seconds_sum{nodepool=\"web\"} 40");
    assert_line(env_page(env), "karpenter_nodeclaims_instance_termination_duration_seconds_sum{nodepool=\"web\"} 20");
    assert_line(env_page(env), "operator_nodeclaim_termination_duration_seconds_sum{karpenter_sh_nodepool=\"web\","
                               "karpenter_k8s_aws_ec2nodeclass=\"\",karpenter_kwok_sh_kwoknodeclass=\"\"} 40");
    assert_line(env_page(env),
                "operator_termination_duration_seconds_sum{group=\"karpenter.sh\",kind=\"NodeClaim\"} 40");
}

#define LAUNCHED(status, reason, time)                                                                                 \
    "conditions: [{type: Launched, status: '" status "', reason: " reason                                              \
    ", lastTransitionTime: '2026-01-01T00:00:" time "Z'}]"

TEST_F(TestEnv, env, transitions_tell_how_long_the_last_status_was) {
    env_put(env, CLAIM("", "", ""));
    env_put(env, CLAIM("", "", LAUNCHED("Unknown", "Awaiting", "02")));
    env_put(env, CLAIM("", "", LAUNCHED("Unknown", "Later", "02")));
    env_put(env, CLAIM("", "", LAUNCHED("True", "Launched", "09")));
    assert_true(env_value(env, METRIC_NODECLAIM_TRANSITIONS, "Launched", "Unknown", "Awaiting", "web", "", "", NULL) ==
                1);
    assert_true(env_value(env, METRIC_NODECLAIM_TRANSITIONS, "Launched", "True", "Launched", "web", "", "", NULL) == 1);
    assert_int_equal(registry_series(env->registry, METRIC_NODECLAIM_TRANSITIONS), 2);
    assert_line(env_page(env), "operator_status_condition_transition_seconds_sum{group=\"karpenter.sh\",kind="
                               "\"NodeClaim\",type=\"Launched\",status=\"Unknown\"} 7");
}

// Node conditions have no deprecated names.
TEST_F(TestEnv, env, conditions_of_nodes_have_one_name) {
    env_put(env, NODE_WITH(REGISTERED, ""));
    env_put(env, NODE_WITH(REGISTERED, ", conditions: [{type: Ready, status: 'True', reason: KubeletReady, "
                                       "lastTransitionTime: '2026-01-01T00:00:00Z'}]"));
    assert_true(env_value(env, METRIC_NODE_TRANSITIONS, "Ready", "True", "KubeletReady", "web", "", "", "", NULL) == 1);
    assert_int_equal(registry_series(env->registry, METRIC_OLD_TRANSITIONS), 0);
    env_pass(env, 12);
    assert_line(
        env_page(env),
        "operator_node_status_condition_current_status_seconds{namespace=\"\",name=\"n1\",type=\"Ready\",status="
        "\"True\",reason=\"KubeletReady\",karpenter_sh_nodepool=\"web\",karpenter_k8s_aws_ec2nodeclass=\"\","
        "karpenter_kwok_sh_kwoknodeclass=\"\",karpenter_sh_initialized=\"\"} 12");
}

// --- completions of intents

TEST_F(TestEnv, env, a_created_claim_is_counted_when_it_was_created) {
    Intent intent = {.type = INTENT_CREATE, .ref = {.kind = KUBE_NODE_CLAIM}};

    intent.object = env_object(env, "{metadata: {labels: {karpenter.sh/nodepool: web}}}");
    env_tell(env, "provisioner", &intent, &(Completion){.code = ERR_IO});
    env_tell(env, "provisioner", &intent, &(Completion){.took_ns = 5000000});
    assert_true(env_value(env, METRIC_NODECLAIMS_CREATED, "provisioned", "web", "false", NULL) == 1);
    assert_true(env_value(env, METRIC_RECONCILE, "provisioner", "success", NULL) == 1);
    assert_true(env_value(env, METRIC_RECONCILE, "provisioner", "error", NULL) == 1);
    assert_true(env_value(env, METRIC_RECONCILE_ERRORS, "provisioner", NULL) == 1);
}

static double disrupted(TestEnv *env, const char *reason, const char *mode) {
    return env_value(env, METRIC_NODECLAIMS_DISRUPTED, reason, "web", "spot", "", mode, NULL);
}

TEST_F(TestEnv, env, a_deletion_says_why) {
    Intent intent = {.type = INTENT_REMOVE, .ref = {.kind = KUBE_NODE_CLAIM, .name = SLICE("web-1")}};
    Completion done = {0};
    EventIntent event = {.about = {.kind = KUBE_NODE_CLAIM}, .reason = "InsufficientCapacityError"};
    Intent said = {.type = INTENT_EVENT, .event = event};

    env_put(env, CLAIM("", "", LAUNCHED("Unknown", "Awaiting", "02")));
    env_tell(env, "nodeclaim.lifecycle", &intent, &done);
    assert_true(disrupted(env, "launch_timeout", "graceful") == 1);
    metrics_observer_called(env->metrics_observer, env->state, "nodeclaim.lifecycle",
                            (Key){0, env_symbol(env, "web-1")}, &said, 1, 1000, env_moment(env));
    env_tell(env, "nodeclaim.lifecycle", &intent, &done);
    assert_true(disrupted(env, "insufficient_capacity", "graceful") == 1);
    env_put(env, CLAIM("", ", terminationGracePeriod: 30s", LAUNCHED("True", "Launched", "05")));
    env_tell(env, "nodeclaim.lifecycle", &intent, &done);
    assert_true(disrupted(env, "registration_timeout", "eventual") == 1);
    intent.step.cause = "instance_ended"; // R083
    env_tell(env, "nodeclaim.lifecycle", &intent, &done);
    assert_true(disrupted(env, "instance_ended", "eventual") == 1);
    intent.step.cause = NULL;
    env_tell(env, "nodeclaim.expiration", &intent, &done);
    env_tell(env, "nodeclaim.expiration", &intent, &(Completion){.code = ERR_NOT_FOUND});
    assert_true(disrupted(env, "expired", "eventual") == 1);
    env_tell(env, "nodeclaim.garbagecollection", &intent, &done);
    assert_true(disrupted(env, "garbage_collected", "eventual") == 1);
    env_tell(env, "node.termination", &intent, &done);
    assert_int_equal(registry_series(env->registry, METRIC_NODECLAIMS_DISRUPTED), 6);
}

TEST_F(TestEnv, env, a_deletion_by_a_command_or_a_message_says_why) {
    Intent intent = {.type = INTENT_REMOVE, .ref = {.kind = KUBE_NODE_CLAIM, .name = SLICE("web-1")}};

    env_put(env, CLAIM("", "", LAUNCHED("True", "Launched", "05")));
    env_tell(env, "disruption", &intent, &(Completion){0}); // a replacement that nobody needs
    assert_int_equal(registry_series(env->registry, METRIC_NODECLAIMS_DISRUPTED), 0);
    intent.step = (DisruptionStep){.method = METHOD_EXPIRATION, .nodes = 1};
    env_tell(env, "disruption", &intent, &(Completion){0});
    assert_true(disrupted(env, "expired", "graceful") == 1);
    intent.step = (DisruptionStep){
        .method = METHOD_REPAIR, .nodes = 1, .cause = "AcceleratedHardwareReady", .bound_ns = NS_PER_MIN};
    env_tell(env, "disruption", &intent, &(Completion){0});
    assert_true(disrupted(env, "unhealthy", "graceful") == 1);
    assert_true(env_value(env, METRIC_NODECLAIMS_UNHEALTHY_DISRUPTED, "accelerated_hardware_ready", "web", "spot", "",
                          "eventual", NULL) == 1);
    intent.step = (DisruptionStep){.cause = "spot_interrupted"};
    env_tell(env, "interruption", &intent, &(Completion){0});
    assert_true(disrupted(env, "spot_interrupted", "graceful") == 1);
}

TEST_F(TestEnv, env, a_deletion_counts_the_pods_that_it_moves) {
    Intent intent = {.type = INTENT_REMOVE, .ref = {.kind = KUBE_NODE_CLAIM, .name = SLICE("web-1")}};

    env_put(env, CLAIM("", "", "providerID: kwok://n1"));
    env_put(env, NODE(REGISTERED));
    env_put(env, POD("p1", ", nodeName: n1", RUNS));
    env_put(env, POD("p2", ", nodeName: n1", RUNS));
    env_tell(env, "nodeclaim.expiration", &intent, &(Completion){0});
    assert_true(env_value(env, METRIC_PODS_DISRUPTION_INITIATED, "expired", "web", "spot", "", "graceful", NULL) == 2);
}

TEST_F(TestEnv, env, evictions_are_counted_by_their_answer) {
    Intent evict = {.type = INTENT_EVICT, .ref = {.kind = KUBE_POD, .ns = SLICE("shop"), .name = SLICE("p1")}};
    Intent force = {.type = INTENT_REMOVE, .ref = {.kind = KUBE_POD, .ns = SLICE("shop"), .name = SLICE("p1")}};
    KubeError busy = {.reason = KUBE_REASON_TOO_MANY_REQUESTS};

    env_put(env, NODE(REGISTERED));
    env_put(env, CLAIM("", "",
                       "providerID: kwok://n1, conditions: [{type: DisruptionReason, status: 'True', "
                       "reason: Underutilized}]"));
    env_put(env, POD("p1", ", nodeName: n1", RUNS));
    env_tell(env, "eviction-queue", &evict, &(Completion){.code = ERR_THROTTLED, .kube_error = &busy});
    env_tell(env, "eviction-queue", &evict, &(Completion){0});
    env_tell(env, "eviction-queue", &force, &(Completion){0});
    assert_true(env_value(env, METRIC_PODS_EVICTIONS, "429", NULL) == 1);
    assert_true(env_value(env, METRIC_PODS_EVICTIONS, "200", NULL) == 1);
    assert_true(env_value(env, METRIC_PODS_DRAINED, "Underutilized", NULL) == 1);
    assert_true(env_value(env, METRIC_PODS_DRAINED, "Forceful Termination", NULL) == 1);
}

TEST_F(TestEnv, env, calls_of_the_cloud_are_timed_and_their_errors_named) {
    static const struct {
        ErrCode code;
        bool class_not_ready;
        const char *error;
    } cases[] = {{ERR_NOT_FOUND, false, "NodeClaimNotFoundError"},
                 {ERR_CAPACITY, false, "InsufficientCapacityError"},
                 {ERR_INVALID, true, "NodeClassNotReadyError"},
                 {ERR_IO, false, "Unknown"}};
    Intent intent = {.type = INTENT_LAUNCH};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CloudError error = {.class_not_ready = cases[i].class_not_ready};

        env_tell(env, "nodeclaim.lifecycle", &intent, &(Completion){.code = cases[i].code, .cloud_error = &error});
        assert_true(
            env_value(env, METRIC_CLOUD_ERRORS, "nodeclaim.lifecycle", "Create", "kwok", cases[i].error, NULL) == 1);
    }
    env_tell(env, "nodeclaim.lifecycle", &intent, &(Completion){.took_ns = 2000000000});
    assert_true(env_value(env, METRIC_CLOUD_DURATION, "nodeclaim.lifecycle", "Create", "kwok", NULL) == 5);
}

TEST_F(TestEnv, env, a_plan_decides_about_pods) {
    Intent intent = {.type = INTENT_SOLVE};
    PendingPod pending[3] = {{0}, {0}, {.ignored = SLICE("no such class")}};
    UnplacedPod unplaced[2] = {{.pod = 1}, {.pod = 2}};
    PlanInput input = {.pending = {pending, 3, 3}};
    Plan plan = {.unplaced = {unplaced, 2, 2}};
    Solved solved = {&input, &plan};
    Handle handle = HANDLE_NONE;

    for (int i = 0; i < 3; i++) {
        env_put(env, POD("p%d", "", WAITS), i, i);
        pending[i].pod = state_pod(env->state, handle = state_next(env->state, KUBE_POD, handle));
    }
    env_pass(env, 3);
    metrics_observer_called(env->metrics_observer, env->state, "provisioner", (Key){0}, &intent, 1, 1000,
                            env_moment(env));
    assert_true(env_value(env, METRIC_SCHEDULER_QUEUE_DEPTH, "provisioner", "", NULL) == 3);
    for (int i = 0; i < 2; i++)
        env_tell(env, "provisioner", &intent, &(Completion){.solved = &solved, .took_ns = 40000000});
    assert_true(env_value(env, METRIC_PODS_DECISION, NULL) == 2);
    assert_true(env_value(env, METRIC_SCHEDULING_DURATION, "provisioner", NULL) == 2);
    assert_true(env_value(env, METRIC_SCHEDULER_IGNORED, NULL) == 1);
    assert_true(env_value(env, METRIC_SCHEDULER_UNSCHEDULABLE, "provisioner", NULL) == 1);
    assert_int_equal(registry_series(env->registry, METRIC_SCHEDULER_QUEUE_DEPTH), 0);
    env_pass(env, 2);
    assert_line(env_page(env), "karpenter_pods_provisioning_unbound_time_seconds{name=\"p0\",namespace=\"shop\"} 2");
    assert_line(env_page(env),
                "karpenter_pods_provisioning_scheduling_undecided_time_seconds{name=\"p2\",namespace=\"shop\"} 5");
    assert_no_line(env_page(env), "undecided_time_seconds{name=\"p1\"");
    env_put(env, POD("p0", ", nodeName: n1", "phase: Pending"));
    env_pass(env, 1);
    env_put(env, POD("p0", ", nodeName: n1", RUNS));
    assert_line(env_page(env), "karpenter_pods_provisioning_bound_duration_seconds_sum 2");
    assert_line(env_page(env), "karpenter_pods_provisioning_startup_duration_seconds_sum 3");
}

TEST_F(TestEnv, env, the_engines_figures_are_copied) {
    EngineCounts counts = {.turns = 5, .mailbox_depth = 2, .events_written = 3, .clock_ahead_ns = -90 * NS_PER_S};

    metrics_observer_counts(env->metrics_observer, &counts, false, env_moment(env));
    env_pass(env, 4);
    metrics_observer_counts(env->metrics_observer, &counts, false, env_moment(env));
    assert_true(env_value(env, METRIC_STATE_SYNCED, NULL) == 0);
    assert_true(env_value(env, METRIC_STATE_UNSYNCED_TIME, NULL) == 4);
    metrics_observer_counts(env->metrics_observer, &counts, true, env_moment(env));
    assert_true(env_value(env, METRIC_STATE_SYNCED, NULL) == 1);
    assert_true(env_value(env, METRIC_STATE_UNSYNCED_TIME, NULL) == 0);
    assert_true(env_value(env, METRIC_ENGINE_TURNS, NULL) == 5);
    assert_true(env_value(env, METRIC_CLOCK_AHEAD, NULL) == -90);
}

// --- metrics from a snapshot

TEST_F(TestEnv, env, a_page_has_the_objects_that_are_there) {
#define ON_NODE                                                                                                        \
    "{nodepool=\"web\",zone=\"a\",region=\"\",instance_type=\"s-4x\",arch=\"amd64\",os=\"linux\",capacity_type="       \
    "\"spot\",windows_build=\"\",instance_size=\"\",instance_family=\"\",instance_cpu=\"\",instance_memory=\"\","      \
    "node_name=\"n1\",phase=\"\",managed=\"true\""
    Slice page;

    env_put(env, NODE(REGISTERED));
    env_put(env, POD("p1", ", nodeName: n1", RUNS));
    env_put(env, POD("p2", "", WAITS));
    env_put(env, POOL);
    env_pass(env, 10);
    page = env_page(env);
    assert_line(page, "karpenter_nodes_allocatable" ON_NODE ",resource_type=\"cpu\"} 3.9");
    assert_line(page, "karpenter_nodes_allocatable" ON_NODE ",resource_type=\"memory\"} 7516192768");
    assert_line(page, "karpenter_nodes_total_pod_requests" ON_NODE ",resource_type=\"cpu\"} 1");
    assert_no_line(page, "karpenter_nodes_total_daemon_requests");
    assert_line(page, "karpenter_nodes_system_overhead" ON_NODE ",resource_type=\"cpu\"} 0.1");
    assert_line(page, "karpenter_nodes_system_overhead" ON_NODE ",resource_type=\"ephemeral_storage\"} 0");
    assert_line(page, "karpenter_nodes_current_lifetime_seconds" ON_NODE "} 10");
    assert_line(page, "karpenter_cluster_utilization_percent{resource_type=\"cpu\"} 25.641025641025642");
    assert_line(page, "karpenter_cluster_state_node_count 1");
    assert_line(page, "karpenter_nodepools_limit{resource_type=\"cpu\",nodepool=\"web\"} 100");
    assert_line(page, "karpenter_nodepools_usage{resource_type=\"cpu\",nodepool=\"web\"} 4");
    assert_line(page,
                "karpenter_pods_state{name=\"p1\",namespace=\"shop\",owner=\"/apis/apps/v1/namespaces/shop/"
                "replicasets/web\",node=\"n1\",scheduled=\"true\",nodepool=\"web\",zone=\"a\",arch=\"amd64\","
                "capacity_type=\"spot\",instance_type=\"s-4x\",phase=\"Running\",ready=\"true\",managed=\"true\"} "
                "1");
    assert_line(page, "karpenter_pods_state{name=\"p2\",namespace=\"shop\",owner=\"/apis/apps/v1/namespaces/shop/"
                      "replicasets/web\",node=\"\",scheduled=\"false\",nodepool=\"\",zone=\"\",arch=\"\",capacity_type="
                      "\"\",instance_type=\"\",phase=\"Pending\",ready=\"false\",managed=\"false\"} 1");
    assert_line(page, "karpenter_pods_unbound_time_seconds{name=\"p2\",namespace=\"shop\"} 10");
    assert_no_line(page, "karpenter_pods_unbound_time_seconds{name=\"p1\"");
    assert_line(page, "operator_nodepool_status_condition_count{namespace=\"\",name=\"web\",type=\"Ready\",status="
                      "\"True\",reason=\"Ready\"} 1");
    assert_line(page, "operator_status_condition_current_status_seconds{group=\"karpenter.sh\",kind=\"NodePool\","
                      "namespace=\"\",name=\"web\",type=\"Ready\",status=\"True\",reason=\"Ready\"} 10");
    env_take(env, NODE(REGISTERED));
    assert_no_line(env_page(env), "karpenter_nodes_allocatable");
}

// Batches of calls of the cloud, by the names of Karpenter's batchers.
TEST_F(TestEnv, env, gathered_calls_are_counted_by_batcher) {
    metrics_observer_gathered(env->metrics_observer, INTENT_LAUNCH, 40, 35 * NS_PER_MS, env_moment(env));
    metrics_observer_gathered(env->metrics_observer, INTENT_LAUNCH, 1, 35 * NS_PER_MS, env_moment(env));
    metrics_observer_gathered(env->metrics_observer, INTENT_TERMINATE, 3, 100 * NS_PER_MS, env_moment(env));
    metrics_observer_gathered(env->metrics_observer, INTENT_GET_INSTANCE, 5, NS_PER_S, env_moment(env));
    assert_true(env_value(env, METRIC_BATCH_SIZE, "create_fleet", NULL) == 2);
    assert_true(env_value(env, METRIC_BATCH_TIME, "terminate_instances", NULL) == 1);
    assert_true(env_value(env, METRIC_BATCH_SIZE, "describe_instances", NULL) == 1);
}
