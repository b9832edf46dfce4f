// Existing and in-flight capacity. Rows of reference scheduling.md 12: in-flight, order, extended resources, deleting
// nodes, static.
#include "harness/test.h"
#include "sched/support/world_plan.h"

#include <stdio.h>

// --- in-flight

#define ROOM "cpu: 4, memory: 8Gi, pods: 10"

static void add_node(World *w, NodeStage stage) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .labels = ZONE ": a", .allocatable = ROOM, .pool = "default", .stage = stage,
               .requirements = IN(INSTANCE_TYPE, "medium"));
    world_pods(w, .name = "first", .requests = "cpu: 1");
}

TEST_F(World, w, row_in_flight_claim_that_is_not_launched_is_used) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .pool = "default", .stage = NODE_CREATED,
               .requirements = IN(INSTANCE_TYPE, "medium, large"),
               .claim_spec = "resources: {requests: {cpu: 1, pods: 1}}");
    // It becomes medium or large, so it has at least 4 CPUs.
    world_pods(w, .name = "web", .count = 5, .requests = "cpu: 1");

    world_plan(w);

    assert_pods_on(w, "node-1", "web-0 web-1 web-2 web-3");
    assert_claims(w, 1);
}

TEST_F(World, w, row_in_flight_node_that_is_launched_is_used) {
    add_node(w, NODE_LAUNCHED);

    world_plan(w);

    assert_pods_on(w, "node-1", "first");
    assert_claims(w, 0);
}

TEST_F(World, w, row_in_flight_node_that_is_not_ready_is_used) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .allocatable = ROOM, .pool = "default", .stage = NODE_REGISTERED,
               .taints = "{key: node.kubernetes.io/not-ready, effect: NoSchedule}");
    world_pods(w, .name = "first", .requests = "cpu: 1");

    world_plan(w);

    assert_pods_on(w, "node-1", "first");
}

TEST_F(World, w, row_in_flight_node_is_used_by_a_second_batch) {
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "large"));
    world_pods(w, .name = "first", .requests = "cpu: 1");
    world_plan(w);
    assert_claims(w, 1);
    world_launch(w);
    world_pods(w, .name = "second", .requests = "cpu: 1");

    world_plan(w);

    assert_claims(w, 0);
    assert_pods_on(w, "first-default-1", "second");
}

TEST_F(World, w, row_in_flight_node_that_is_full_is_not_used) {
    add_node(w, NODE_LAUNCHED);
    world_pods(w, .name = "there", .requests = "cpu: 3500m", .node = "node-1");

    world_plan(w);

    assert_claims(w, 1);
}

TEST_F(World, w, row_in_flight_node_that_is_deleting_is_not_used) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .allocatable = ROOM, .pool = "default", .stage = NODE_INITIALIZED,
               .meta = "deletionTimestamp: \"2026-01-01T00:00:00Z\"");
    world_pods(w, .name = "first", .requests = "cpu: 1");

    world_plan(w);

    assert_claims(w, 1);
    assert_pods_on(w, "default-1", "first");
}

TEST_F(World, w, row_in_flight_node_with_a_taint_that_is_not_tolerated_is_not_used) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .allocatable = ROOM, .pool = "default", .stage = NODE_REGISTERED,
               .taints = "{key: custom, effect: NoSchedule}");
    world_pods(w, .name = "first", .requests = "cpu: 1");

    world_plan(w);

    assert_claims(w, 1);
}

TEST_F(World, w, row_in_flight_launched_claims_taints_count) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .allocatable = ROOM, .pool = "default", .stage = NODE_LAUNCHED,
               .claim_spec = "taints: [{key: custom, effect: NoSchedule}]");
    world_pods(w, .name = "first", .requests = "cpu: 1");
    world_pods(w, .name = "tolerates", .requests = "cpu: 1", .spec = TOLERATE("{key: custom, operator: Exists}"));

    world_plan(w);

    assert_pods_on(w, "node-1", "tolerates");
    assert_pods_on(w, "default-1", "first");
}

#define STARTUP "startupTaints: [{key: starting, effect: NoSchedule}]"

static void add_startup_node(World *w, NodeStage stage) {
    world_pool(w, .name = "default", .template = STARTUP);
    world_node(w, .name = "node-1", .allocatable = ROOM, .pool = "default", .stage = stage, .claim_spec = STARTUP,
               .taints = "{key: starting, effect: NoSchedule}");
    world_pods(w, .name = "first", .requests = "cpu: 1");
}

TEST_F(World, w, row_in_flight_startup_taint_is_ignored_until_initialized) {
    add_startup_node(w, NODE_REGISTERED);

    world_plan(w);

    assert_pods_on(w, "node-1", "first");
}

TEST_F(World, w, row_in_flight_startup_taint_is_honoured_after_initialization) {
    add_startup_node(w, NODE_INITIALIZED);

    world_plan(w);

    assert_claims(w, 1);
}

#define EPHEMERAL                                                                                                      \
    "{key: node.kubernetes.io/not-ready, effect: NoSchedule}, {key: node.kubernetes.io/not-ready, effect: "            \
    "NoExecute}, {key: node.kubernetes.io/unreachable, effect: NoSchedule}, {key: "                                    \
    "node.cloudprovider.kubernetes.io/uninitialized, value: \"true\", effect: NoSchedule}, {key: "                     \
    "karpenter.sh/unregistered, effect: NoExecute}, {key: readiness.k8s.io/gpu, effect: NoSchedule}"

TEST_F(World, w, row_in_flight_ephemeral_taints_are_ignored_until_initialized) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .allocatable = ROOM, .pool = "default", .stage = NODE_REGISTERED,
               .taints = EPHEMERAL);
    world_pods(w, .name = "first", .requests = "cpu: 1");

    world_plan(w);

    assert_pods_on(w, "node-1", "first");
}

TEST(row_in_flight_ephemeral_taints_are_honoured_after_initialization) {
    static const char *const taints[] = {"{key: node.kubernetes.io/not-ready, effect: NoSchedule}",
                                         "{key: node.kubernetes.io/unreachable, effect: NoSchedule}",
                                         "{key: readiness.k8s.io/gpu, effect: NoSchedule}"};

    for (size_t i = 0; i < sizeof taints / sizeof *taints; i++) {
        World *w = world_setup();

        world_pool(w, .name = "default");
        world_node(w, .name = "node-1", .allocatable = ROOM, .pool = "default", .stage = NODE_INITIALIZED,
                   .taints = taints[i]);
        world_pods(w, .name = "first", .requests = "cpu: 1");

        world_plan(w);

        assert_claims(w, 1);
        world_teardown(w);
    }
}

TEST_F(World, w, row_in_flight_unmanaged_nodes_taints_all_count) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .allocatable = ROOM,
               .taints = "{key: node.kubernetes.io/not-ready, effect: NoSchedule}");
    world_pods(w, .name = "first", .requests = "cpu: 1");

    world_plan(w);

    assert_claims(w, 1);
    assert_pods_on(w, "default-1", "first");
}

TEST_F(World, w, row_in_flight_unmanaged_node_without_taints_is_used) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .allocatable = ROOM);
    world_pods(w, .name = "first", .requests = "cpu: 1");

    world_plan(w);

    assert_pods_on(w, "node-1", "first");
}

TEST_F(World, w, row_in_flight_node_keeps_room_for_daemons_to_come) {
    world_pool(w, .name = "default");
    world_daemon(w, "agent", "cpu: 1", NULL);
    world_node(w, .name = "node-1", .allocatable = "cpu: 2, memory: 8Gi, pods: 10", .pool = "default",
               .stage = NODE_REGISTERED);
    world_pods(w, .name = "web", .count = 2, .requests = "cpu: 1");

    world_plan(w);

    assert_pods_on(w, "node-1", "web-0");
    assert_claims(w, 1);
}

TEST_F(World, w, row_in_flight_node_does_not_count_a_running_daemon_twice) {
    world_pool(w, .name = "default");
    world_daemon(w, "agent", "cpu: 1", NULL);
    world_node(w, .name = "node-1", .allocatable = "cpu: 3, memory: 8Gi, pods: 10", .pool = "default");
    world_pods(w, .name = "agent-x", .requests = "cpu: 1", .node = "node-1",
               .meta =
                   "ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: u, controller: true}]");
    world_pods(w, .name = "web", .count = 2, .requests = "cpu: 1");

    world_plan(w);

    assert_pods_on(w, "node-1", "web-0 web-1");
}

// Existing nodes must have the labels that pods require, well-known ones too.
TEST_F(World, w, row_in_flight_node_must_have_the_label) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .allocatable = ROOM, .labels = ZONE ": a");
    world_pods(w, .name = "zone", .requests = "cpu: 500m", .spec = SELECT(ZONE ": a"));
    world_pods(w, .name = "arch", .requests = "cpu: 500m", .spec = SELECT(ARCH ": amd64"));

    world_plan(w);

    assert_pods_on(w, "node-1", "zone");
    assert_pods_on(w, "default-1", "arch");
}

// --- order

// kube-scheduler reserves the place of a nominated pod while its victims leave or its volumes are provisioned.
TEST_F(World, w, a_pod_that_is_nominated_takes_room) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node", .labels = ZONE ": a", .allocatable = "cpu: 2, memory: 8Gi, pods: 110");
    world_pods(w, .name = "coming", .labels = "app: db", .requests = "cpu: 1", .status = "nominatedNodeName: node");
    world_pods(w, .name = "web", .count = 2, .requests = "cpu: 1");
    world_pods(w, .name = "apart", .spec = AFFINITY(APART(PODS(HOST, "app: db", ""))));

    world_plan(w);

    assert_pods_on(w, "node", "web-0");
    assert_claims(w, 1);
    assert_pending(w, "");
}

TEST_F(World, w, row_order_initialized_node_before_an_uninitialized_one) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .allocatable = ROOM, .pool = "default", .stage = NODE_REGISTERED);
    world_node(w, .name = "node-2", .allocatable = ROOM, .pool = "default", .stage = NODE_INITIALIZED);
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pods_on(w, "node-2", "web");
}

TEST_F(World, w, row_order_uninitialized_node_before_a_new_one) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .allocatable = ROOM, .pool = "default", .stage = NODE_REGISTERED);
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pods_on(w, "node-1", "web");
    assert_claims(w, 0);
}

TEST_F(World, w, row_order_existing_capacity_first_and_new_for_the_rest) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .allocatable = ROOM, .pool = "default");
    world_pods(w, .name = "web", .count = 6, .requests = "cpu: 1");

    world_plan(w);

    assert_pods_on(w, "node-1", "web-0 web-1 web-2 web-3");
    assert_pods_on(w, "default-1", "web-4 web-5");
}

TEST_F(World, w, row_order_nodes_by_name) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-2", .allocatable = ROOM, .pool = "default");
    world_node(w, .name = "node-1", .allocatable = ROOM, .pool = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pods_on(w, "node-1", "web");
}

// --- extended resources

static void add_gpu_node(World *w, NodeStage stage) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .allocatable = ROOM ", vendor.com/gpu: 0", .pool = "default", .stage = stage,
               .claim_room = ROOM ", vendor.com/gpu: 2");
    world_pods(w, .name = "web", .requests = "cpu: 1, vendor.com/gpu: 1");
}

TEST_F(World, w, row_extended_resources_not_up_yet_are_those_of_the_claim) {
    add_gpu_node(w, NODE_REGISTERED);

    world_plan(w);

    assert_pods_on(w, "node-1", "web");
}

TEST_F(World, w, row_extended_resources_of_an_initialized_node_are_its_own) {
    add_gpu_node(w, NODE_INITIALIZED);

    world_plan(w);

    assert_pending(w, "web");
}

// --- deleting nodes

#define DELETING "deletionTimestamp: \"2026-01-01T00:00:00Z\""
#define OWNED_BY(version, kind)                                                                                        \
    "ownerReferences: [{apiVersion: " version ", kind: " kind ", name: o, uid: u, controller: true}]"

// Which pods are reschedulable is tested in test_pending.c.
TEST_F(World, w, row_deleting_nodes_active_pods_are_planned_anew) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .allocatable = ROOM, .pool = "default", .meta = DELETING);
    world_pods(w, .name = "active", .requests = "cpu: 1", .node = "node-1");
    world_pods(w, .name = "daemon", .requests = "cpu: 1", .node = "node-1", .meta = OWNED_BY("apps/v1", "DaemonSet"));
    world_pods(w, .name = "mirror", .requests = "cpu: 1", .node = "node-1", .meta = OWNED_BY("v1", "Node"));
    world_pods(w, .name = "replica", .requests = "cpu: 1", .node = "node-1",
               .meta = OWNED_BY("apps/v1", "ReplicaSet") ", " DELETING);
    world_pods(w, .name = "stateful", .requests = "cpu: 1", .node = "node-1",
               .meta = OWNED_BY("apps/v1", "StatefulSet") ", " DELETING);

    world_plan(w);

    assert_pods_on(w, "default-1", "active stateful");
    assert_claims(w, 1);
}

TEST_F(World, w, row_deleting_nodes_protected_pods_stay) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .allocatable = ROOM, .pool = "default", .meta = DELETING);
    world_pods(w, .name = "keep", .requests = "cpu: 1", .node = "node-1",
               .meta = "annotations: {karpenter.sh/do-not-disrupt: \"true\"}");
    world_pods(w, .name = "blocked", .requests = "cpu: 1", .labels = "app: blocked", .node = "node-1");
    world_pods(w, .name = "twice", .requests = "cpu: 1", .labels = "app: twice", .node = "node-1");
    world_pods(w, .name = "allowed", .requests = "cpu: 1", .labels = "app: allowed", .node = "node-1");
#define PDB(name, app, rule)                                                                                           \
    world_object(w, "apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: " name "}, spec: {selector: "  \
                    "{matchLabels: {app: " app "}}, " rule "}")
    PDB("b", "blocked", "maxUnavailable: 0");
    PDB("t", "twice", "maxUnavailable: 1");
    PDB("u", "twice", "maxUnavailable: 1");
    PDB("a", "allowed", "maxUnavailable: 1");

    world_plan(w);

    assert_pods_on(w, "default-1", "allowed");
    assert_claims(w, 1);
}

// A pod on a deleting node does not count in its zone any more.
TEST_F(World, w, row_deleting_nodes_pods_do_not_count_for_spread_while_they_are_planned) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    world_node(w, .name = "node-1", .allocatable = ROOM, .pool = "default", .labels = ZONE ": a", .meta = DELETING);
    world_pods(w, .name = "old", .count = 2, .requests = "cpu: 1", .labels = "app: web", .node = "node-1",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", "")));

    world_plan(w);

    assert_zones(w, "a=1 b=1");
}

// --- nodes that share a host name, and nodes without

#define WEB "app: web"

// Karpenter takes the node's name instead; kube-scheduler asks for the label.
static void assert_stays_off_a_node_without_a_host_name(World *w, const char *rule) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .host = "");
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1", .spec = rule);
    world_pods(w, .name = "other", .requests = "cpu: 1");

    world_plan(w);

    assert_pods_on(w, "default-1", "web");
    assert_pods_on(w, "node-1", "other");
}

TEST_F(World, w, a_node_without_a_host_name_takes_no_spread_over_hosts) {
    assert_stays_off_a_node_without_a_host_name(w, SPREAD(SKEW(HOST, 1, WEB, "")));
}

TEST_F(World, w, a_node_without_a_host_name_takes_no_affinity_on_hosts) {
    assert_stays_off_a_node_without_a_host_name(w, AFFINITY(NEAR(PODS(HOST, WEB, ""))));
}

TEST_F(World, w, nor_does_it_if_the_pod_to_be_with_is_there) {
    world_node(w, .name = "node-1", .host = "");
    world_pods(w, .name = "there", .labels = WEB, .node = "node-1");
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1", .spec = AFFINITY(NEAR(PODS(HOST, WEB, ""))));

    world_plan(w);

    assert_pending(w, "web");
}

TEST_F(World, w, what_prefers_a_spread_over_hosts_goes_to_a_node_without_a_host_name) {
    world_node(w, .name = "node-1", .host = "");
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1", .spec = SPREAD(SKEW_ANYWAY(HOST, 1, WEB)));

    world_plan(w);

    assert_pods_on(w, "node-1", "web");
}

TEST_F(World, w, nodes_of_one_host_name_are_one_host_for_anti_affinity) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .host = "same");
    world_node(w, .name = "node-2", .host = "same");
    world_pods(w, .name = "there", .labels = WEB, .node = "node-1");
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1", .spec = AFFINITY(APART(PODS(HOST, WEB, ""))));

    world_plan(w);

    assert_pods_on(w, "default-1", "web");
}

TEST_F(World, w, pods_that_keep_apart_do_not_meet_on_nodes_of_one_host_name) {
    world_node(w, .name = "node-1", .host = "same");
    world_node(w, .name = "node-2", .host = "same");
    world_node(w, .name = "node-3");
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1",
               .spec = AFFINITY(APART(PODS(HOST, WEB, ""))));

    world_plan(w);

    assert_pods_on(w, "node-3", "web-1");
    assert_pending(w, "web-2");
}

TEST_F(World, w, nodes_of_one_host_name_are_one_host_for_spread) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .host = "same");
    world_node(w, .name = "node-2", .host = "same");
    world_pods(w, .name = "there", .labels = WEB, .node = "node-2");
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1", .spec = SPREAD(SKEW(HOST, 1, WEB, "")));

    world_plan(w);

    assert_pods_on(w, "default-1", "web");
}

// --- static

TEST_F(World, w, row_static_pool_gets_no_claims_from_pods) {
    world_pool(w, .name = "static", .spec = "replicas: 3");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_claims(w, 0);
    assert_message(w, "web", "no dynamic nodepools found");
}

TEST_F(World, w, row_static_mixed_with_dynamic_only_dynamic_grows) {
    world_pool(w, .name = "static", .spec = "replicas: 3");
    world_pool(w, .name = "dynamic");
    world_pods(w, .name = "web", .count = 12, .requests = "cpu: 1");
    world_pods(w, .name = "selects", .requests = "cpu: 1", .spec = SELECT("karpenter.sh/nodepool: static"));

    world_plan(w);

    assert_pending(w, "selects");
    assert_pool(w, 0, "dynamic");
    assert_pool(w, 1, "dynamic");
}

TEST_F(World, w, row_static_nodes_are_capacity) {
    world_pool(w, .name = "static", .spec = "replicas: 1");
    world_pool(w, .name = "dynamic");
    world_node(w, .name = "node-1", .allocatable = ROOM, .pool = "static");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pods_on(w, "node-1", "web");
    assert_claims(w, 0);
}
