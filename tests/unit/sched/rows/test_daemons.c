// Overhead of DaemonSets on new nodes. Row of reference scheduling.md 12: daemons.
#include "harness/test.h"
#include "sched/support/world_plan.h"

#include <stdio.h>

TEST_F(World, w, row_daemons_overhead_is_counted) {
    world_pool(w, .name = "default", .requirements = IN(ARCH, "amd64"));
    world_daemon(w, "agent", "cpu: 1, memory: 1Gi", NULL);
    world_pods(w, .name = "web", .requests = "cpu: 1500m, memory: 1Gi");

    world_plan(w);

    assert_types(w, 0, "medium large huge");
    assert_requests(w, 0, "{\"cpu\":\"2500m\",\"memory\":\"2Gi\",\"pods\":\"2\"}");
}

TEST_F(World, w, row_daemons_overhead_is_counted_once_per_node) {
    world_pool(w, .name = "default", .requirements = IN(ARCH, "amd64"));
    world_daemon(w, "agent", "cpu: 1", NULL);
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 1");

    world_plan(w);

    assert_claims(w, 1);
    assert_types(w, 0, "medium large huge");
    assert_requests(w, 0, "{\"cpu\":\"4\",\"pods\":\"4\"}");
}

TEST_F(World, w, row_daemons_take_pod_slots) {
    world_pool(w, .name = "default");
    world_daemon(w, "agent", "cpu: 10m", NULL);
    world_daemon(w, "logger", "cpu: 10m", NULL);
    world_pods(w, .name = "web", .count = 10, .requests = "cpu: 10m");

    world_plan(w);

    assert_per_node(w, "", "8 2");
}

// A group of types is those on which the same daemons run; this daemon runs on the arm type only.
TEST_F(World, w, row_daemons_overhead_is_counted_per_group_of_types) {
    world_pool(w, .name = "default");
    world_daemon(w, "agent", "cpu: 15", SELECT(ARCH ": arm64"));
    world_pods(w, .name = "web", .requests = "cpu: 2");

    world_plan(w);

    assert_types(w, 0, "small medium large huge");
}

// The requests of a claim include the least overhead of its types (Q16: the true minimum).
TEST_F(World, w, row_daemons_least_overhead_goes_into_the_requests) {
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "medium, large, huge"));
    world_daemon(w, "agent", "cpu: 1", SELECT(INSTANCE_TYPE ": huge"));
    world_daemon(w, "logger", "cpu: 500m",
                 AFFINITY(NODE(TERM(IN(INSTANCE_TYPE, "large")) ", " TERM(IN(INSTANCE_TYPE, "huge")))));
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_types(w, 0, "medium large huge");
    assert_requests(w, 0, "{\"cpu\":\"1\",\"pods\":\"1\"}");
}

// Q5: a daemon with OR terms runs wherever one of them holds, for every type and pool.
TEST_F(World, w, row_daemons_or_terms_hold_for_every_type) {
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "small, medium, large"));
    world_daemon(w, "agent", "cpu: 1",
                 AFFINITY(NODE(TERM(IN(INSTANCE_TYPE, "large")) ", " TERM(IN(INSTANCE_TYPE, "small")))));
    world_pods(w, .name = "web", .requests = "cpu: 1500m");

    world_plan(w);

    assert_types(w, 0, "medium large");
}

TEST_F(World, w, row_daemons_that_do_not_tolerate_the_pools_taint_are_not_counted) {
    world_pool(w, .name = "default", .template = "taints: [{key: team, value: red, effect: NoSchedule}]");
    world_daemon(w, "agent", "cpu: 1", NULL);
    world_pods(w, .name = "web", .requests = "cpu: 2", .spec = TOLERATE("{key: team, operator: Exists}"));

    world_plan(w);

    assert_choice(w, 0, "small a spot");
    assert_requests(w, 0, "{\"cpu\":\"2\",\"pods\":\"1\"}");
}

TEST_F(World, w, row_daemons_that_tolerate_the_pools_taint_are_counted) {
    world_pool(w, .name = "default", .template = "taints: [{key: team, value: red, effect: NoSchedule}]");
    world_daemon(w, "agent", "cpu: 1", TOLERATE("{operator: Exists}"));
    world_pods(w, .name = "web", .requests = "cpu: 2", .spec = TOLERATE("{key: team, operator: Exists}"));

    world_plan(w);

    assert_choice(w, 0, "medium a spot");
}

TEST_F(World, w, row_daemons_are_not_excluded_by_a_startup_taint) {
    world_pool(w, .name = "default", .template = "startupTaints: [{key: starting, effect: NoSchedule}]");
    world_daemon(w, "agent", "cpu: 1", NULL);
    world_pods(w, .name = "web", .requests = "cpu: 2");

    world_plan(w);

    assert_choice(w, 0, "medium a spot");
}

TEST_F(World, w, row_daemons_are_not_excluded_by_prefer_no_schedule) {
    world_pool(w, .name = "default", .template = "taints: [{key: soft, effect: PreferNoSchedule}]");
    world_daemon(w, "agent", "cpu: 1", NULL);
    world_pods(w, .name = "web", .requests = "cpu: 2");

    world_plan(w);

    assert_choice(w, 0, "medium a spot");
}

// The DaemonSets that the last plan leaves out, and the pools: "agent in default, logger in a b"; "" none.
static void assert_left_out(World *w, const Plan *plan, const char *expected) {
    const Symbols *symbols = &world_cluster(w)->symbols;
    char text[256] = "";
    size_t at = 0;

    for (vec_each(const LeftOutDaemon, left_out, &plan->daemons)) {
        Slice name = symbol_text(symbols, left_out->daemon->meta.name);

        at += (size_t)snprintf(text + at, sizeof text - at, "%s%.*s in", at ? ", " : "", SLICE_ARG(name));
        for (vec_each(const Symbol, pool, &left_out->pools))
            at += (size_t)snprintf(text + at, sizeof text - at, " %.*s", SLICE_ARG(symbol_text(symbols, *pool)));
    }
    assert_string_equal(text, expected);
}

// Karpenter leaves every pod pending then, those of other tenants too. The daemon's own pods alone stay pending.
TEST_F(World, w, row_daemons_too_large_for_every_type_are_left_out) {
    const Plan *plan;

    world_pool(w, .name = "default");
    world_daemon(w, "agent", "cpu: 10000", NULL);
    world_pods(w, .name = "web", .requests = "cpu: 1");
    world_pods(w, .name = "nothing");

    plan = world_plan(w);

    assert_pending(w, "");
    assert_requests(w, 0, "{\"cpu\":\"1\",\"pods\":\"2\"}");
    assert_left_out(w, plan, "agent in default");
}

TEST_F(World, w, row_daemons_that_want_what_no_type_has_are_left_out) {
    const Plan *plan;

    world_pool(w, .name = "default");
    world_daemon(w, "agent", "example.com/x: 1", NULL);
    world_pods(w, .name = "web", .requests = "cpu: 1");

    plan = world_plan(w);

    assert_pending(w, "");
    assert_left_out(w, plan, "agent in default");
}

// A daemon is left out of the pools whose types are too small, and of no other.
TEST_F(World, w, row_daemons_are_left_out_pool_by_pool) {
    const Plan *plan;

    world_pool(w, .name = "little", .requirements = IN(INSTANCE_TYPE, "small"), .spec = "weight: 10");
    world_pool(w, .name = "plain");
    world_daemon(w, "agent", "cpu: 3", NULL);
    world_pods(w, .name = "little", .requests = "cpu: 2", .spec = SELECT("karpenter.sh/nodepool: little"));
    world_pods(w, .name = "plain", .requests = "cpu: 2", .spec = SELECT("karpenter.sh/nodepool: plain"));

    plan = world_plan(w);

    assert_pending(w, "");
    assert_left_out(w, plan, "agent in little");
}

// As with Karpenter, types that are too small for a daemon are not used if others are large enough.
TEST_F(World, w, row_daemons_too_large_for_some_types_exclude_these) {
    const Plan *plan;

    world_pool(w, .name = "default", .requirements = IN(ARCH, "amd64"));
    world_daemon(w, "agent", "cpu: 3", NULL);
    world_pods(w, .name = "web", .requests = "cpu: 500m");

    plan = world_plan(w);

    assert_types(w, 0, "medium large huge");
    assert_left_out(w, plan, "");
}

// Each fits alone. Those with the highest priority, then the first by name, are counted.
TEST_F(World, w, row_daemons_that_do_not_fit_beside_those_before_them_are_left_out) {
    const Plan *plan;

    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "small"));
    world_daemon(w, "a", "cpu: 1", NULL);
    world_daemon(w, "b", "cpu: 1", NULL);
    world_daemon(w, "c", "cpu: 1", "priorityClassName: system-node-critical");
    world_pods(w, .name = "web", .requests = "memory: 1Gi");

    plan = world_plan(w);

    assert_pending(w, "");
    assert_left_out(w, plan, "b in default");
}

TEST_F(World, w, row_daemons_too_large_for_a_node_take_no_room_of_it) {
    world_node(w, .name = "node-1", .allocatable = "cpu: 2, memory: 4Gi, pods: 10");
    world_daemon(w, "agent", "cpu: 1000", NULL);
    world_daemon(w, "stranger", "example.com/x: 1", NULL);
    world_daemon(w, "logger", "cpu: 500m", NULL);
    world_pods(w, .name = "web", .requests = "cpu: 1500m");
    world_pods(w, .name = "more", .requests = "cpu: 100m");

    world_plan(w);

    assert_pending(w, "more");
}

// What runs on a node already has its place; a daemon gets what is left, or nothing.
TEST_F(World, w, row_daemons_that_do_not_fit_beside_bound_pods_take_no_room) {
    world_node(w, .name = "node-1", .allocatable = "cpu: 2, memory: 4Gi, pods: 10");
    world_pods(w, .name = "bound", .requests = "cpu: 1", .node = "node-1");
    world_daemon(w, "agent", "cpu: 1500m", NULL);
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pending(w, "");
}

TEST_F(World, w, row_daemons_with_an_unmatched_selector_are_not_counted) {
    world_pool(w, .name = "default");
    world_daemon(w, "custom", "cpu: 10000", SELECT("team: red"));
    world_daemon(w, "zone", "cpu: 10000", SELECT(ZONE ": unknown"));
    world_pods(w, .name = "web", .requests = "cpu: 2");

    world_plan(w);

    assert_choice(w, 0, "small a spot");
}

TEST_F(World, w, row_daemons_that_select_registered_nodes_are_counted) {
    world_pool(w, .name = "default");
    world_daemon(w, "agent", "cpu: 1", SELECT("karpenter.sh/registered: \"true\", karpenter.sh/initialized: \"true\""));
    world_pods(w, .name = "web", .requests = "cpu: 2");

    world_plan(w);

    assert_choice(w, 0, "medium a spot");
    assert_requirement(w, 0, "karpenter.sh/registered", "");
    assert_label(w, 0, "karpenter.sh/initialized", NULL);
}

TEST_F(World, w, row_daemons_of_the_pools_own_label_are_counted_there_only) {
    world_pool(w, .name = "red", .labels = "team: red", .spec = "weight: 10");
    world_pool(w, .name = "plain");
    world_daemon(w, "agent", "cpu: 1", SELECT("team: red"));
    world_pods(w, .name = "red", .requests = "cpu: 2", .spec = SELECT("karpenter.sh/nodepool: red"));
    world_pods(w, .name = "plain", .requests = "cpu: 2", .spec = SELECT("karpenter.sh/nodepool: plain"));

    world_plan(w);

    assert_choice(w, 0, "small a spot");
    assert_pool(w, 0, "plain");
    assert_choice(w, 1, "medium a spot");
    assert_pool(w, 1, "red");
}

// The newest live pod of a DaemonSet decides its requests (a VPA or a defaulting webhook may have changed them).
TEST_F(World, w, row_daemons_count_as_their_newest_pod_does) {
    world_pool(w, .name = "default");
    world_daemon(w, "agent", "cpu: 100m", NULL);
    world_node(w, .name = "node-1", .allocatable = "cpu: 1, memory: 1Gi, pods: 1");
    world_pods(w, .name = "agent-x", .requests = "cpu: 1", .node = "node-1",
               .meta =
                   "ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: u, controller: true}]");
    world_pods(w, .name = "web", .requests = "cpu: 2");

    world_plan(w);

    assert_choice(w, 0, "medium a spot");
}

static void add_daemon_pod(World *w, const char *name, const char *requests) {
    world_pods(w, .name = name, .requests = requests, .node = "node-1",
               .meta =
                   "ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: u, controller: true}]");
}

// Owner references are what their writer says: they must not take the room of other DaemonSets.
TEST_F(World, w, row_daemons_keep_their_room_from_pods_that_only_say_to_be_of_one) {
    world_node(w, .name = "node-1", .allocatable = "cpu: 4, memory: 4Gi, pods: 10");
    world_daemon(w, "agent", "cpu: 2", NULL);
    world_pods(w, .name = "forged", .ns = "other", .requests = "cpu: 2", .node = "node-1",
               .meta =
                   "ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: u, controller: true}]");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pending(w, "web");
}

TEST_F(World, w, row_daemons_that_run_need_no_more_room) {
    world_node(w, .name = "node-1", .allocatable = "cpu: 4, memory: 4Gi, pods: 10");
    world_daemon(w, "agent", "cpu: 2", NULL);
    world_pods(w, .name = "agent-x", .requests = "cpu: 2", .node = "node-1",
               .meta =
                   "ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: u, controller: true}]");
    world_pods(w, .name = "web", .requests = "cpu: 2");

    world_plan(w);

    assert_pending(w, "");
}

// Of pods of one age the last by name, whatever the order of the input.
TEST_F(World, w, row_daemons_of_one_age_count_as_the_last_by_name_does) {
    world_pool(w, .name = "default");
    world_daemon(w, "agent", "cpu: 100m", NULL);
    world_node(w, .name = "node-1", .allocatable = "cpu: 2, memory: 1Gi, pods: 2");
    add_daemon_pod(w, "agent-x", "cpu: 100m");
    add_daemon_pod(w, "agent-y", "cpu: 1");
    world_pods(w, .name = "web", .requests = "cpu: 1500m");

    world_plan(w);

    assert_choice(w, 0, "medium a spot");
}

// --- host ports

static void add_port_daemon(World *w, const char *selector) {
    static char text[1024];

    snprintf(
        text, sizeof text,
        "apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent}, spec: {selector: {matchLabels: {d: a}}, "
        "template: {metadata: {labels: {d: a}}, spec: {nodeSelector: {%s}, containers: [{name: c, image: i, ports: "
        "[{containerPort: 80, hostPort: 8080}]}]}}}",
        selector);
    world_object(w, text);
}

static void add_port_pod(World *w, const char *name, int port) {
    static char texts[8][1024];
    static int used;
    char *text = texts[used++ % 8];

    snprintf(text, sizeof texts[0],
             "apiVersion: v1, kind: Pod, metadata: {name: %s}, spec: {containers: [{name: c, image: i, resources: "
             "{requests: {cpu: 1}}, ports: [{containerPort: 80, hostPort: %d}]}]}",
             name, port);
    world_object(w, text);
}

TEST_F(World, w, row_daemons_host_port_blocks_pods_where_the_daemon_runs) {
    world_pool(w, .name = "default");
    add_port_daemon(w, ARCH ": amd64");
    add_port_pod(w, "same", 8080);

    world_plan(w);

    assert_types(w, 0, "arm");
}

TEST_F(World, w, row_daemons_host_port_on_every_node_leaves_the_pod_pending) {
    world_pool(w, .name = "default");
    add_port_daemon(w, "");
    add_port_pod(w, "same", 8080);
    add_port_pod(w, "other", 8081);

    world_plan(w);

    assert_pending(w, "same");
}

TEST_F(World, w, row_daemons_host_port_of_a_daemon_that_runs_elsewhere_does_not_block) {
    world_pool(w, .name = "default");
    add_port_daemon(w, ARCH ": unknown");
    add_port_pod(w, "same", 8080);

    world_plan(w);

    assert_choice(w, 0, "small a spot");
}

TEST_F(World, w, row_daemons_host_ports_of_pods_keep_them_on_separate_nodes) {
    world_pool(w, .name = "default", .requirements = IN(ARCH, "amd64"));
    add_port_pod(w, "web-0", 80);
    add_port_pod(w, "web-1", 80);
    add_port_pod(w, "web-2", 81);

    world_plan(w);

    assert_per_node(w, "", "2 1");
}
