// The metrics_observer: what happens in a cluster, told change by change, is what is counted.
#include "base/time.h"
#include "obs/support/stage.h"

#include <math.h>

FIXTURE(Stage, stage_new, stage_free);

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

TEST_F(Stage, stage, a_pod_is_bound_and_starts_up) {
    stage_put(stage, POD("p1", "", WAITS));
    stage_pass(stage, 4);
    stage_put(stage, POD("p1", ", nodeName: n1", "phase: Pending"));
    assert_true(stage_value(stage, METRIC_PODS_BOUND, NULL) == 1);
    stage_pass(stage, 2.5);
    stage_put(stage, POD("p1", ", nodeName: n1", RUNS));
    assert_true(stage_value(stage, METRIC_PODS_STARTUP, NULL) == 1);
    assert_line(stage_page(stage), "karpenter_pods_bound_duration_seconds_sum 4");
    assert_line(stage_page(stage), "karpenter_pods_startup_duration_seconds{quantile=\"1\"} 6.5");
    assert_int_equal(pod_memory_count(metrics_observer_pods(stage->metrics_observer)), 0);
}

TEST_F(Stage, stage, a_pod_that_becomes_ready_again_does_not_start_up_again) {
    stage_put(stage, POD("p1", ", nodeName: n1", "phase: Pending"));
    stage_put(stage, POD("p1", ", nodeName: n1", RUNS));
    stage_put(stage, POD("p1", ", nodeName: n1", "phase: Running, conditions: [{type: Ready, status: 'False'}]"));
    stage_put(stage, POD("p1", ", nodeName: n1", RUNS));
    assert_true(stage_value(stage, METRIC_PODS_STARTUP, NULL) == 1);
}

// A restart of tenon must not count what happened long before.
TEST_F(Stage, stage, what_was_there_before_is_not_counted) {
    stage->listing = true;
    stage_pass(stage, 3600);
    stage_put(stage, NODE(REGISTERED));
    stage_put(stage, POD("p1", ", nodeName: n1", RUNS));
    stage_put(stage, CLAIM("", "",
                           "conditions: [{type: Drained, status: 'True', lastTransitionTime: "
                           "'2026-01-01T00:00:05Z'}]"));
    stage->listing = false;
    assert_true(isnan(stage_value(stage, METRIC_NODES_CREATED, "web", "a", NULL)));
    assert_true(isnan(stage_value(stage, METRIC_PODS_BOUND, NULL)));
    assert_true(isnan(stage_value(stage, METRIC_PODS_STARTUP, NULL)));
    assert_true(isnan(stage_value(stage, METRIC_NODES_DRAINED, "web", NULL)));
}

TEST_F(Stage, stage, pods_that_go_are_forgotten) {
    stage_put(stage, POD("p1", "", WAITS));
    stage_put(stage, POD("p2", "", WAITS));
    stage_put(stage, POD("p3", "", WAITS));
    assert_int_equal(pod_memory_count(metrics_observer_pods(stage->metrics_observer)), 3);
    stage_take(stage, POD("p1", "", WAITS));
    stage_put(stage, POD("p2", "", "phase: Failed"));
    assert_int_equal(pod_memory_count(metrics_observer_pods(stage->metrics_observer)), 1);
}

TEST_F(Stage, stage, a_node_registers_and_goes) {
    stage_put(stage, NODE("}"));
    assert_true(isnan(stage_value(stage, METRIC_NODES_CREATED, "web", "a", NULL)));
    stage_put(stage, NODE(REGISTERED));
    stage_put(stage, NODE(REGISTERED));
    assert_true(stage_value(stage, METRIC_NODES_CREATED, "web", "a", NULL) == 1);
    stage_pass(stage, 7200);
    stage_put(stage, NODE(REGISTERED ", deletionTimestamp: '2026-01-01T02:00:00Z'"));
    stage_pass(stage, 30);
    stage_take(stage, NODE(REGISTERED ", deletionTimestamp: '2026-01-01T02:00:00Z'"));
    assert_true(stage_value(stage, METRIC_NODES_TERMINATED, "web", "a", NULL) == 1);
    assert_line(stage_page(stage),
                "karpenter_nodes_termination_duration_seconds{nodepool=\"web\",quantile=\"0.5\"} 30");
    assert_line(stage_page(stage), "karpenter_nodes_lifetime_duration_seconds_sum{nodepool=\"web\"} 7230");
    stage_put(stage, POOL);
    stage_take(stage, POOL);
    assert_no_line(stage_page(stage), "karpenter_nodes_termination_duration_seconds");
}

TEST_F(Stage, stage, nodes_of_others_are_not_counted) {
    static const char *node = "{apiVersion: v1, kind: Node, metadata: {name: own, uid: u, labels: "
                              "{karpenter.sh/registered: 'true'}}, status: {}}";

    stage_put(stage, "%s", node);
    stage_take(stage, "%s", node);
    assert_int_equal(registry_series(stage->registry, METRIC_NODES_CREATED), 0);
    assert_int_equal(registry_series(stage->registry, METRIC_NODES_TERMINATED), 0);
}

TEST_F(Stage, stage, a_claim_is_drained_and_goes) {
    static const char *going = CLAIM(", deletionTimestamp: '2026-01-01T00:01:00Z', finalizers: [a]", "",
                                     "conditions: [{type: Drained, status: 'True', lastTransitionTime: "
                                     "'2026-01-01T00:01:10Z'}, {type: InstanceTerminating, status: 'True', "
                                     "lastTransitionTime: '2026-01-01T00:01:20Z'}]");

    stage_put(stage, CLAIM("", "", ""));
    stage_pass(stage, 80);
    stage_put(stage, "%s", going);
    assert_true(stage_value(stage, METRIC_NODES_DRAINED, "web", NULL) == 1);
    stage_pass(stage, 20);
    stage_take(stage, "%s", going);
    assert_true(stage_value(stage, METRIC_NODECLAIMS_TERMINATED, "web", "spot", "a", NULL) == 1);
    assert_line(stage_page(stage), "karpenter_nodeclaims_termination_duration_seconds_sum{nodepool=\"web\"} 40");
    assert_line(stage_page(stage),
                "karpenter_nodeclaims_instance_termination_duration_seconds_sum{nodepool=\"web\"} 20");
    assert_line(stage_page(stage), "operator_nodeclaim_termination_duration_seconds_sum{karpenter_sh_nodepool=\"web\","
                                   "karpenter_k8s_aws_ec2nodeclass=\"\",karpenter_kwok_sh_kwoknodeclass=\"\"} 40");
    assert_line(stage_page(stage),
                "operator_termination_duration_seconds_sum{group=\"karpenter.sh\",kind=\"NodeClaim\"} 40");
}

#define LAUNCHED(status, reason, time)                                                                                 \
    "conditions: [{type: Launched, status: '" status "', reason: " reason                                              \
    ", lastTransitionTime: '2026-01-01T00:00:" time "Z'}]"

TEST_F(Stage, stage, transitions_tell_how_long_the_last_status_was) {
    stage_put(stage, CLAIM("", "", ""));
    stage_put(stage, CLAIM("", "", LAUNCHED("Unknown", "Awaiting", "02")));
    stage_put(stage, CLAIM("", "", LAUNCHED("Unknown", "Later", "02")));
    stage_put(stage, CLAIM("", "", LAUNCHED("True", "Launched", "09")));
    assert_true(
        stage_value(stage, METRIC_NODECLAIM_TRANSITIONS, "Launched", "Unknown", "Awaiting", "web", "", "", NULL) == 1);
    assert_true(stage_value(stage, METRIC_NODECLAIM_TRANSITIONS, "Launched", "True", "Launched", "web", "", "", NULL) ==
                1);
    assert_int_equal(registry_series(stage->registry, METRIC_NODECLAIM_TRANSITIONS), 2);
    assert_line(stage_page(stage), "operator_status_condition_transition_seconds_sum{group=\"karpenter.sh\",kind="
                                   "\"NodeClaim\",type=\"Launched\",status=\"Unknown\"} 7");
}

// Node conditions have no deprecated names.
TEST_F(Stage, stage, conditions_of_nodes_have_one_name) {
    stage_put(stage, NODE_WITH(REGISTERED, ""));
    stage_put(stage, NODE_WITH(REGISTERED, ", conditions: [{type: Ready, status: 'True', reason: KubeletReady, "
                                           "lastTransitionTime: '2026-01-01T00:00:00Z'}]"));
    assert_true(stage_value(stage, METRIC_NODE_TRANSITIONS, "Ready", "True", "KubeletReady", "web", "", "", "", NULL) ==
                1);
    assert_int_equal(registry_series(stage->registry, METRIC_OLD_TRANSITIONS), 0);
    stage_pass(stage, 12);
    assert_line(
        stage_page(stage),
        "operator_node_status_condition_current_status_seconds{namespace=\"\",name=\"n1\",type=\"Ready\",status="
        "\"True\",reason=\"KubeletReady\",karpenter_sh_nodepool=\"web\",karpenter_k8s_aws_ec2nodeclass=\"\","
        "karpenter_kwok_sh_kwoknodeclass=\"\",karpenter_sh_initialized=\"\"} 12");
}

// --- what came of intents

TEST_F(Stage, stage, a_created_claim_is_counted_when_it_was_created) {
    Intent intent = {.type = INTENT_CREATE, .ref = {.kind = KUBE_NODE_CLAIM}};

    intent.object = stage_object(stage, "{metadata: {labels: {karpenter.sh/nodepool: web}}}");
    stage_tell(stage, "provisioner", &intent, &(Completion){.code = ERR_IO});
    stage_tell(stage, "provisioner", &intent, &(Completion){.took_ns = 5000000});
    assert_true(stage_value(stage, METRIC_NODECLAIMS_CREATED, "provisioned", "web", "false", NULL) == 1);
    assert_true(stage_value(stage, METRIC_RECONCILE, "provisioner", "success", NULL) == 1);
    assert_true(stage_value(stage, METRIC_RECONCILE, "provisioner", "error", NULL) == 1);
    assert_true(stage_value(stage, METRIC_RECONCILE_ERRORS, "provisioner", NULL) == 1);
}

static double disrupted(Stage *stage, const char *reason, const char *mode) {
    return stage_value(stage, METRIC_NODECLAIMS_DISRUPTED, reason, "web", "spot", "", mode, NULL);
}

TEST_F(Stage, stage, a_deletion_says_why) {
    Intent intent = {.type = INTENT_REMOVE, .ref = {.kind = KUBE_NODE_CLAIM, .name = SLICE("web-1")}};
    Completion done = {0};
    EventIntent event = {.about = {.kind = KUBE_NODE_CLAIM}, .reason = "InsufficientCapacityError"};
    Intent said = {.type = INTENT_EVENT, .event = event};

    stage_put(stage, CLAIM("", "", LAUNCHED("Unknown", "Awaiting", "02")));
    stage_tell(stage, "nodeclaim.lifecycle", &intent, &done);
    assert_true(disrupted(stage, "launch_timeout", "graceful") == 1);
    metrics_observer_called(stage->metrics_observer, stage->state, "nodeclaim.lifecycle",
                            (Key){0, stage_symbol(stage, "web-1")}, &said, 1, 1000, stage_moment(stage));
    stage_tell(stage, "nodeclaim.lifecycle", &intent, &done);
    assert_true(disrupted(stage, "insufficient_capacity", "graceful") == 1);
    stage_put(stage, CLAIM("", ", terminationGracePeriod: 30s", LAUNCHED("True", "Launched", "05")));
    stage_tell(stage, "nodeclaim.lifecycle", &intent, &done);
    assert_true(disrupted(stage, "registration_timeout", "eventual") == 1);
    stage_tell(stage, "nodeclaim.expiration", &intent, &done);
    stage_tell(stage, "nodeclaim.expiration", &intent, &(Completion){.code = ERR_NOT_FOUND});
    assert_true(disrupted(stage, "expired", "eventual") == 1);
    stage_tell(stage, "nodeclaim.garbagecollection", &intent, &done);
    assert_true(disrupted(stage, "garbage_collected", "eventual") == 1);
    stage_tell(stage, "node.termination", &intent, &done);
    assert_int_equal(registry_series(stage->registry, METRIC_NODECLAIMS_DISRUPTED), 5);
}

TEST_F(Stage, stage, a_deletion_counts_the_pods_that_it_moves) {
    Intent intent = {.type = INTENT_REMOVE, .ref = {.kind = KUBE_NODE_CLAIM, .name = SLICE("web-1")}};

    stage_put(stage, CLAIM("", "", "providerID: kwok://n1"));
    stage_put(stage, NODE(REGISTERED));
    stage_put(stage, POD("p1", ", nodeName: n1", RUNS));
    stage_put(stage, POD("p2", ", nodeName: n1", RUNS));
    stage_tell(stage, "nodeclaim.expiration", &intent, &(Completion){0});
    assert_true(stage_value(stage, METRIC_PODS_DISRUPTION_INITIATED, "expired", "web", "spot", "", "graceful", NULL) ==
                2);
}

TEST_F(Stage, stage, evictions_are_counted_by_their_answer) {
    Intent evict = {.type = INTENT_EVICT, .ref = {.kind = KUBE_POD, .ns = SLICE("shop"), .name = SLICE("p1")}};
    Intent force = {.type = INTENT_REMOVE, .ref = {.kind = KUBE_POD, .ns = SLICE("shop"), .name = SLICE("p1")}};
    KubeError busy = {.reason = KUBE_REASON_TOO_MANY_REQUESTS};

    stage_put(stage, NODE(REGISTERED));
    stage_put(stage, CLAIM("", "",
                           "providerID: kwok://n1, conditions: [{type: DisruptionReason, status: 'True', "
                           "reason: Underutilized}]"));
    stage_put(stage, POD("p1", ", nodeName: n1", RUNS));
    stage_tell(stage, "eviction-queue", &evict, &(Completion){.code = ERR_THROTTLED, .kube_error = &busy});
    stage_tell(stage, "eviction-queue", &evict, &(Completion){0});
    stage_tell(stage, "eviction-queue", &force, &(Completion){0});
    assert_true(stage_value(stage, METRIC_PODS_EVICTIONS, "429", NULL) == 1);
    assert_true(stage_value(stage, METRIC_PODS_EVICTIONS, "200", NULL) == 1);
    assert_true(stage_value(stage, METRIC_PODS_DRAINED, "Underutilized", NULL) == 1);
    assert_true(stage_value(stage, METRIC_PODS_DRAINED, "Forceful Termination", NULL) == 1);
}

TEST_F(Stage, stage, calls_of_the_cloud_are_timed_and_their_errors_named) {
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

        stage_tell(stage, "nodeclaim.lifecycle", &intent, &(Completion){.code = cases[i].code, .cloud_error = &error});
        assert_true(stage_value(stage, METRIC_CLOUD_ERRORS, "nodeclaim.lifecycle", "Create", "kwok", cases[i].error,
                                NULL) == 1);
    }
    stage_tell(stage, "nodeclaim.lifecycle", &intent, &(Completion){.took_ns = 2000000000});
    assert_true(stage_value(stage, METRIC_CLOUD_DURATION, "nodeclaim.lifecycle", "Create", "kwok", NULL) == 5);
}

TEST_F(Stage, stage, a_plan_decides_about_pods) {
    Intent intent = {.type = INTENT_SOLVE};
    PendingPod pending[3] = {{0}, {0}, {.ignored = SLICE("no such class")}};
    UnplacedPod unplaced[2] = {{.pod = 1}, {.pod = 2}};
    PlanInput input = {.pending = {pending, 3, 3}};
    Plan plan = {.unplaced = {unplaced, 2, 2}};
    Solved solved = {&input, &plan};
    Handle handle = HANDLE_NONE;

    for (int i = 0; i < 3; i++) {
        stage_put(stage, POD("p%d", "", WAITS), i, i);
        pending[i].pod = state_pod(stage->state, handle = state_next(stage->state, KUBE_POD, handle));
    }
    stage_pass(stage, 3);
    metrics_observer_called(stage->metrics_observer, stage->state, "provisioner", (Key){0}, &intent, 1, 1000,
                            stage_moment(stage));
    assert_true(stage_value(stage, METRIC_SCHEDULER_QUEUE_DEPTH, "provisioner", "", NULL) == 3);
    for (int i = 0; i < 2; i++)
        stage_tell(stage, "provisioner", &intent, &(Completion){.solved = &solved, .took_ns = 40000000});
    assert_true(stage_value(stage, METRIC_PODS_DECISION, NULL) == 2);
    assert_true(stage_value(stage, METRIC_SCHEDULING_DURATION, "provisioner", NULL) == 2);
    assert_true(stage_value(stage, METRIC_SCHEDULER_IGNORED, NULL) == 1);
    assert_true(stage_value(stage, METRIC_SCHEDULER_UNSCHEDULABLE, "provisioner", NULL) == 1);
    assert_int_equal(registry_series(stage->registry, METRIC_SCHEDULER_QUEUE_DEPTH), 0);
    stage_pass(stage, 2);
    assert_line(stage_page(stage),
                "karpenter_pods_provisioning_unbound_time_seconds{name=\"p0\",namespace=\"shop\"} 2");
    assert_line(stage_page(stage),
                "karpenter_pods_provisioning_scheduling_undecided_time_seconds{name=\"p2\",namespace=\"shop\"} 5");
    assert_no_line(stage_page(stage), "undecided_time_seconds{name=\"p1\"");
    stage_put(stage, POD("p0", ", nodeName: n1", "phase: Pending"));
    stage_pass(stage, 1);
    stage_put(stage, POD("p0", ", nodeName: n1", RUNS));
    assert_line(stage_page(stage), "karpenter_pods_provisioning_bound_duration_seconds_sum 2");
    assert_line(stage_page(stage), "karpenter_pods_provisioning_startup_duration_seconds_sum 3");
}

TEST_F(Stage, stage, the_engines_figures_are_copied) {
    EngineCounts counts = {.turns = 5, .mailbox_depth = 2, .events_written = 3, .clock_ahead_ns = -90 * NS_PER_S};

    metrics_observer_counts(stage->metrics_observer, &counts, false, stage_moment(stage));
    stage_pass(stage, 4);
    metrics_observer_counts(stage->metrics_observer, &counts, false, stage_moment(stage));
    assert_true(stage_value(stage, METRIC_STATE_SYNCED, NULL) == 0);
    assert_true(stage_value(stage, METRIC_STATE_UNSYNCED_TIME, NULL) == 4);
    metrics_observer_counts(stage->metrics_observer, &counts, true, stage_moment(stage));
    assert_true(stage_value(stage, METRIC_STATE_SYNCED, NULL) == 1);
    assert_true(stage_value(stage, METRIC_STATE_UNSYNCED_TIME, NULL) == 0);
    assert_true(stage_value(stage, METRIC_ENGINE_TURNS, NULL) == 5);
    assert_true(stage_value(stage, METRIC_CLOCK_AHEAD, NULL) == -90);
}

// --- what is read from a snapshot

TEST_F(Stage, stage, a_page_has_the_objects_that_are_there) {
#define ON_NODE                                                                                                        \
    "{nodepool=\"web\",zone=\"a\",region=\"\",instance_type=\"s-4x\",arch=\"amd64\",os=\"linux\",capacity_type="       \
    "\"spot\",windows_build=\"\",instance_size=\"\",instance_family=\"\",instance_cpu=\"\",instance_memory=\"\","      \
    "node_name=\"n1\",phase=\"\",managed=\"true\""
    Slice page;

    stage_put(stage, NODE(REGISTERED));
    stage_put(stage, POD("p1", ", nodeName: n1", RUNS));
    stage_put(stage, POD("p2", "", WAITS));
    stage_put(stage, POOL);
    stage_pass(stage, 10);
    page = stage_page(stage);
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
    stage_take(stage, NODE(REGISTERED));
    assert_no_line(stage_page(stage), "karpenter_nodes_allocatable");
}
