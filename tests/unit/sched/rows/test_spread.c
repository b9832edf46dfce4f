// Topology spread constraints. Rows of reference scheduling.md 12: zone spread, hostname spread, other keys,
// matchLabelKeys, default spread.
//
// Where a row gives counts without saying which zone has which, tenon's order is asserted: equal domains are taken by
// name.
#include "harness/test.h"
#include "sched/support/world_plan.h"

#include <stdio.h>

#define WEB       "app: web"
#define ZONE_SKEW SPREAD(SKEW(ZONE, 1, WEB, ""))

// Adds a full node with matching pods.
static void full_node(World *w, const char *name, const char *zone, int pods) {
    static char labels[8][64], requests[8][64], room[8][64];
    static int used;
    int at = used++ % 8;

    snprintf(labels[at], sizeof labels[at], ZONE ": %s", zone);
    snprintf(requests[at], sizeof requests[at], "cpu: 1");
    snprintf(room[at], sizeof room[at], "cpu: %d, memory: 8Gi, pods: 110", pods);
    world_node(w, .name = name, .labels = labels[at], .allocatable = room[at]);
    world_pods(w, .name = name, .count = pods, .labels = WEB, .requests = requests[at], .node = name);
}

// Adds a node without room, which makes its zone a domain.
static void empty_node(World *w, const char *name, const char *labels, const char *taints) {
    world_node(w, .name = name, .labels = labels, .allocatable = "cpu: 0, memory: 1Gi, pods: 110", .taints = taints);
}

// --- zone spread

TEST_F(World, w, row_zone_spread_is_even) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 6, .labels = WEB, .requests = "cpu: 1", .spec = ZONE_SKEW);

    world_plan(w);

    assert_zones(w, "a=2 b=2 c=2");
    assert_claims(w, 3);
}

TEST_F(World, w, row_zone_spread_domains_are_those_of_pools_and_of_node_labels) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    full_node(w, "node-c", "c", 1);
    world_pods(w, .name = "web", .count = 6, .labels = WEB, .requests = "cpu: 1100m", .spec = ZONE_SKEW);

    world_plan(w);

    assert_zones(w, "a=2 b=2 c=1");
    assert_pending_count(w, 2);
}

TEST_F(World, w, row_zone_spread_max_skew_above_one_with_domains_the_pool_has_not) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "c"));
    full_node(w, "node-a", "a", 1);
    full_node(w, "node-b", "b", 1);
    world_pods(w, .name = "web", .count = 10, .labels = WEB, .requests = "cpu: 1100m",
               .spec = SPREAD(SKEW(ZONE, 5, WEB, "")));

    world_plan(w);

    assert_zones(w, "a=1 b=1 c=6");
    assert_pending_count(w, 4);
}

// The row has (3,1,2); either empty zone may get the second pod.
TEST_F(World, w, row_zone_spread_evens_out_what_is_there) {
    world_pool(w, .name = "default");
    full_node(w, "node-a", "a", 3);
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1100m", .spec = ZONE_SKEW);

    world_plan(w);

    assert_zones(w, "a=3 b=2 c=1");
    assert_pending(w, "");
}

TEST_F(World, w, row_zone_spread_min_domains_not_reached_keeps_the_minimum_at_zero) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, WEB, ", minDomains: 3")));

    world_plan(w);

    assert_zones(w, "a=1 b=1");
    assert_pending(w, "web-2");
}

TEST_F(World, w, row_zone_spread_min_domains_reached_changes_nothing) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 11, .labels = WEB, .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, WEB, ", minDomains: 2")));

    world_plan(w);

    assert_zones(w, "a=4 b=4 c=3");
}

// Q12: constraints that differ only in minDomains are different.
TEST_F(World, w, row_zone_spread_min_domains_are_each_constraints_own) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    world_pods(w, .name = "strict", .count = 3, .labels = "app: strict", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, "app: strict", ", minDomains: 3")));
    world_pods(w, .name = "plain", .count = 4, .labels = "app: plain", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, "app: plain", "")));

    world_plan(w);

    assert_pending(w, "strict-2");
    assert_domains(w, ZONE, "app=plain", "a=2 b=2");
}

TEST_F(World, w, row_zone_spread_node_selector_limits_the_domains) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "one", .count = 5, .labels = WEB, .requests = "cpu: 1",
               .spec = ZONE_SKEW ", " SELECT(ZONE ": a"));
    world_pods(w, .name = "two", .count = 10, .labels = WEB, .requests = "cpu: 1",
               .spec = ZONE_SKEW ", " SELECT(ZONE ": b"));

    world_plan(w);

    assert_zones(w, "a=5 b=10");
}

TEST_F(World, w, row_zone_spread_node_selector_with_policy_ignore_does_not) {
    world_pool(w, .name = "default");
    empty_node(w, "node-b", ZONE ": b", NULL);
    empty_node(w, "node-c", ZONE ": c", NULL);
    world_pods(w, .name = "web", .count = 5, .labels = WEB, .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, WEB, ", nodeAffinityPolicy: Ignore")) ", " SELECT(ZONE ": a"));

    world_plan(w);

    assert_zones(w, "a=1");
    assert_pending_count(w, 4);
}

TEST_F(World, w, row_zone_spread_required_affinity_limits_the_domains) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 6, .labels = WEB, .requests = "cpu: 1",
               .spec = ZONE_SKEW ", " AFFINITY(NODE(TERM(IN(ZONE, "a, b")))));

    world_plan(w);

    assert_zones(w, "a=3 b=3");
}

TEST_F(World, w, row_zone_spread_required_affinity_with_policy_ignore_does_not) {
    world_pool(w, .name = "default");
    empty_node(w, "node-c", ZONE ": c", NULL);
    world_pods(
        w, .name = "web", .count = 6, .labels = WEB, .requests = "cpu: 1",
        .spec = SPREAD(SKEW(ZONE, 1, WEB, ", nodeAffinityPolicy: Ignore")) ", " AFFINITY(NODE(TERM(IN(ZONE, "a, b")))));

    world_plan(w);

    assert_zones(w, "a=1 b=1");
    assert_pending_count(w, 4);
}

// A selector on another label limits the zones to those of the nodes that it allows: only pool "spot-pool" has c.
TEST_F(World, w, row_zone_spread_selector_on_another_label_limits_the_domains) {
    world_pool(w, .name = "ab", .requirements = IN(ZONE, "a, b"), .labels = "team: red");
    world_pool(w, .name = "c", .requirements = IN(ZONE, "c"), .labels = "team: blue");
    empty_node(w, "node-c", ZONE ": c, team: blue", NULL);
    world_pods(w, .name = "honor", .count = 4, .labels = "app: honor", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, "app: honor", "")) ", " SELECT("team: red"));
    world_pods(w, .name = "ignore", .count = 4, .labels = "app: ignore", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, "app: ignore", ", nodeAffinityPolicy: Ignore")) ", " SELECT("team: red"));

    world_plan(w);

    assert_domains(w, ZONE, "app=honor", "a=2 b=2");
    assert_domains(w, ZONE, "app=ignore", "a=1 b=1");
    assert_pending(w, "ignore-2 ignore-3");
}

// kube-scheduler counts the nodes of all OR terms; Karpenter those of the current term (scheduling.md 11).
TEST_F(World, w, row_zone_spread_minimum_is_over_all_or_terms) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a"));
    full_node(w, "node-b", "b", 1);
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 1100m",
               .spec = ZONE_SKEW ", " AFFINITY(NODE(TERM(IN(ZONE, "a")) ", " TERM(IN(ZONE, "b")))));

    world_plan(w);

    assert_zones(w, "a=2 b=1");
    assert_pending_count(w, 2);
}

#define TAINTED "taints: [{key: team, value: red, effect: NoSchedule}]"

TEST_F(World, w, row_zone_spread_taints_policy_ignore_counts_tainted_domains) {
    world_pool(w, .name = "open", .requirements = IN(ZONE, "a, b"));
    world_pool(w, .name = "tainted", .requirements = IN(ZONE, "c"), .template = TAINTED);
    empty_node(w, "node-c", ZONE ": c", "{key: team, value: red, effect: NoSchedule}");
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 1", .spec = ZONE_SKEW);

    world_plan(w);

    assert_zones(w, "a=1 b=1");
    assert_pending_count(w, 2);
}

TEST_F(World, w, row_zone_spread_taints_policy_honor_leaves_tainted_domains_out) {
    world_pool(w, .name = "open", .requirements = IN(ZONE, "a, b"));
    world_pool(w, .name = "tainted", .requirements = IN(ZONE, "c"), .template = TAINTED);
    empty_node(w, "node-c", ZONE ": c", "{key: team, value: red, effect: NoSchedule}");
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, WEB, ", nodeTaintsPolicy: Honor")));

    world_plan(w);

    assert_zones(w, "a=2 b=2");
    assert_pending(w, "");
}

TEST_F(World, w, row_zone_spread_taints_policy_honor_on_existing_nodes) {
    world_pool(w, .name = "open", .requirements = IN(ZONE, "a, b"));
    world_node(w, .name = "node-c", .labels = ZONE ": c", .taints = "{key: team, value: red, effect: NoSchedule}");
    world_pods(w, .name = "honor", .count = 4, .labels = "app: honor", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, "app: honor", ", nodeTaintsPolicy: Honor")));
    world_pods(w, .name = "ignore", .count = 4, .labels = "app: ignore", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, "app: ignore", ", nodeTaintsPolicy: Ignore")));

    world_plan(w);

    assert_domains(w, ZONE, "app=honor", "a=2 b=2");
    assert_domains(w, ZONE, "app=ignore", "a=1 b=1");
}

// No pod can use both pools; zone b is in both.
TEST_F(World, w, row_zone_spread_taints_policy_honor_with_mutually_exclusive_pools) {
    world_pool(w, .name = "red", .requirements = IN(ZONE, "a, b"),
               .template = "taints: [{key: team, value: red, effect: NoSchedule}]");
    world_pool(w, .name = "blue", .requirements = IN(ZONE, "b, c"),
               .template = "taints: [{key: team, value: blue, effect: NoSchedule}]");
#define TEAM(name) TOLERATE("{key: team, operator: Equal, value: " name ", effect: NoSchedule}")
    world_pods(w, .name = "red", .count = 4, .labels = "app: red", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, "app: red", ", nodeTaintsPolicy: Honor")) ", " TEAM("red"));
    world_pods(w, .name = "blue", .count = 4, .labels = "app: blue", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, "app: blue", ", nodeTaintsPolicy: Honor")) ", " TEAM("blue"));

    world_plan(w);

    assert_pending(w, "");
    assert_domains(w, ZONE, "app=red", "a=2 b=2");
    assert_domains(w, ZONE, "app=blue", "b=2 c=2");
}

TEST_F(World, w, row_zone_spread_taints_policy_ignore_with_mutually_exclusive_pools) {
    world_pool(w, .name = "red", .requirements = IN(ZONE, "a, b"),
               .template = "taints: [{key: team, value: red, effect: NoSchedule}]");
    world_pool(w, .name = "blue", .requirements = IN(ZONE, "b, c"),
               .template = "taints: [{key: team, value: blue, effect: NoSchedule}]");
    empty_node(w, "node-c", ZONE ": c", "{key: team, value: blue, effect: NoSchedule}");
    world_pods(w, .name = "red", .count = 4, .labels = WEB, .requests = "cpu: 1", .spec = ZONE_SKEW ", " TEAM("red"));

    world_plan(w);

    assert_zones(w, "a=1 b=1"); // c counts with 0 pods
    assert_pending_count(w, 2);
}

TEST_F(World, w, row_zone_spread_preferred_affinity_never_shrinks_the_domains) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 6, .labels = WEB, .requests = "cpu: 1",
               .spec = ZONE_SKEW ", " AFFINITY(PREFER_NODE(PREFER_TERM(1, IN(ZONE, "a, b")))));

    world_plan(w);

    assert_zones(w, "a=2 b=2 c=2");
}

TEST_F(World, w, row_zone_spread_volume_zones_shrink_placement_and_not_the_domains) {
    world_pool(w, .name = "default");
    empty_node(w, "node-b", ZONE ": b", NULL);
    empty_node(w, "node-c", ZONE ": c", NULL);
    world_object(w, "apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: in-a}, provisioner: "
                    "ebs.csi.aws.com, volumeBindingMode: WaitForFirstConsumer, allowedTopologies: "
                    "[{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [a]}]}]");
    world_object(w,
                 "apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: one}, spec: {storageClassName: in-a}");
    world_object(w,
                 "apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: two}, spec: {storageClassName: in-a}");
    world_pods(w, .name = "web-0", .labels = WEB, .requests = "cpu: 1", .spec = ZONE_SKEW ", " CLAIMS("one"));
    world_pods(w, .name = "web-1", .labels = WEB, .requests = "cpu: 1", .spec = ZONE_SKEW ", " CLAIMS("two"));

    world_plan(w);

    assert_zones(w, "a=1"); // b and c count with 0 pods
    assert_pending(w, "web-1");
}

// Karpenter counts an empty zone in which some pool could create a node, and leaves pods pending because of it.
// kube-scheduler considers existing nodes only: after all pods have been tried, tenon does too, and places the pods
// that waited for a zone without nodes. Rows with nodes in those zones are above.
TEST_F(World, w, row_zone_spread_zone_that_cannot_be_opened_blocks_no_pod) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 5, .labels = WEB, .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, WEB, ", nodeAffinityPolicy: Ignore")) ", " SELECT(ZONE ": a"));

    world_plan(w);

    assert_zones(w, "a=5");
}

#define BATCH "{key: batch, operator: Exists}"

// A planned node whose zone is open will be in some zone, which kube-scheduler then counts with 0 pods.
TEST_F(World, w, row_zone_spread_counts_the_zone_that_a_claim_of_another_pool_brings) {
    world_pool(w, .name = "web", .requirements = IN(ZONE, "a"));
    world_pool(w, .name = "batch", .requirements = IN(ZONE, "b, c"),
               .template = "taints: [{key: batch, effect: NoSchedule}]");
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1", .spec = ZONE_SKEW);
    world_pods(w, .name = "batch", .requests = "cpu: 1",
               .spec = TOLERATE(BATCH) ", " SELECT("karpenter.sh/nodepool: batch"));

    world_plan(w);

    assert_domains(w, ZONE, "app=web", "a=1");
    assert_domains(w, ZONE, "", "?=1 a=1"); // to decide its zone would place no more pods
    assert_pending_count(w, 2);
}

TEST_F(World, w, row_zone_spread_a_claim_goes_where_nodes_are_before_it_brings_a_zone) {
    world_pool(w, .name = "web", .requirements = IN(ZONE, "c"));
    world_pool(w, .name = "batch", .requirements = IN(ZONE, "b, c"),
               .template = "taints: [{key: batch, effect: NoSchedule}]");
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1", .spec = ZONE_SKEW);
    world_pods(w, .name = "batch", .requests = "cpu: 1",
               .spec = TOLERATE(BATCH) ", " SELECT("karpenter.sh/nodepool: batch"));

    world_plan(w);

    assert_domains(w, ZONE, "", "c=4");
}

TEST_F(World, w, row_zone_spread_with_affinity_starts_where_another_pods_node_may_be) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1",
               .spec = ZONE_SKEW ", " AFFINITY(NEAR(PODS(ZONE, WEB, ""))));
    world_pods(w, .name = "batch", .requests = "cpu: 1", .spec = AFFINITY(NODE(TERM(NOT_IN(ZONE, "a")))));

    world_plan(w);

    assert_zones(w, "b=4"); // in a, zone b or c would be a domain without web pods
}

TEST_F(World, w, row_zone_spread_counts_running_matching_pods_only) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    full_node(w, "node-a", "a", 1);
    world_node(w, .name = "node-b", .labels = ZONE ": b", .allocatable = "cpu: 0, memory: 8Gi, pods: 110");
    world_node(w, .name = "nowhere", .allocatable = "cpu: 0, memory: 8Gi, pods: 110");
    world_pods(w, .name = "other", .labels = "app: other", .node = "node-b");
    world_pods(w, .name = "elsewhere", .labels = WEB, .node = "node-b", .ns = "elsewhere");
    world_pods(w, .name = "done", .labels = WEB, .node = "node-b", .status = "phase: Succeeded");
    world_pods(w, .name = "failed", .labels = WEB, .node = "node-b", .status = "phase: Failed");
    world_pods(w, .name = "leaving", .labels = WEB, .node = "node-b",
               .meta = "deletionTimestamp: \"2026-01-01T00:00:00Z\"");
    world_pods(w, .name = "outside", .labels = WEB, .node = "nowhere");
    world_pods(w, .name = "lost", .labels = WEB, .node = "no-such-node");
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1100m", .spec = ZONE_SKEW);

    world_plan(w);

    // If one of these pods were counted in b, the claim would be in a.
    assert_requirement(w, 0, ZONE, ZONE " In [b]");
}

TEST_F(World, w, row_zone_spread_without_selector_counts_nothing) {
    world_pool(w, .name = "default");
    full_node(w, "node-a", "a", 3);
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 1100m",
               .spec = SPREAD("{topologyKey: " ZONE ", maxSkew: 1, whenUnsatisfiable: DoNotSchedule}"));

    world_plan(w);

    assert_pending(w, ""); // Q14: a nil selector matches no pod, as in kube-scheduler
}

#define EMPTY(key, more)                                                                                               \
    "{topologyKey: " key ", maxSkew: 1, whenUnsatisfiable: DoNotSchedule, labelSelector: {}" more "}"

// kube-scheduler counts no pods for an empty selector; Karpenter counts the whole namespace.
TEST_F(World, w, row_zone_spread_with_an_empty_selector_counts_nothing) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-a", .labels = ZONE ": a", .allocatable = "cpu: 8, memory: 8Gi, pods: 110");
    world_pods(w, .name = "there", .count = 3, .labels = WEB, .node = "node-a");
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 100m", .spec = SPREAD(EMPTY(ZONE, "")));

    world_plan(w);

    assert_pending(w, "");
    assert_claims(w, 0);
}

TEST_F(World, w, row_hostname_spread_with_an_empty_selector_counts_nothing) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 6, .labels = WEB, .requests = "cpu: 100m", .spec = SPREAD(EMPTY(HOST, "")));

    world_plan(w);

    assert_pending(w, "");
    assert_claims(w, 1);
}

TEST_F(World, w, row_match_label_keys_make_an_empty_selector_count) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    world_pods(w, .name = "new", .count = 4, .labels = "app: web, rev: '2'", .requests = "cpu: 100m",
               .spec = SPREAD(EMPTY(ZONE, ", matchLabelKeys: [rev]")));

    world_plan(w);

    assert_zones(w, "a=2 b=2");
}

TEST_F(World, w, row_zone_spread_with_a_selector_that_misses_the_pod_itself) {
    world_pool(w, .name = "default");
    full_node(w, "node-a", "a", 2);
    world_pods(w, .name = "api", .count = 3, .labels = "app: api", .requests = "cpu: 1100m", .spec = ZONE_SKEW);

    world_plan(w);

    assert_pending(w, "");
    assert_domains(w, ZONE, "app=api", "b=3"); // a has 2 of "web" and the others none: not in a, else anywhere
}

TEST_F(World, w, row_zone_spread_two_workloads_count_for_each_other) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "one", .count = 3, .labels = "app: web, tier: one", .requests = "cpu: 1", .spec = ZONE_SKEW);
    world_pods(w, .name = "two", .count = 3, .labels = "app: web, tier: two", .requests = "cpu: 500m",
               .spec = ZONE_SKEW);

    world_plan(w);

    assert_domains(w, ZONE, "app=web", "a=2 b=2 c=2");
}

TEST_F(World, w, row_zone_spread_schedule_anyway_is_respected_while_it_can_be) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 6, .labels = WEB, .requests = "cpu: 1",
               .spec = SPREAD(SKEW_ANYWAY(ZONE, 1, WEB)));

    world_plan(w);

    assert_zones(w, "a=2 b=2 c=2");
}

TEST_F(World, w, row_zone_spread_schedule_anyway_may_be_violated) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a"));
    full_node(w, "node-b", "b", 1);
    world_pods(w, .name = "web", .count = 6, .labels = WEB, .requests = "cpu: 1100m",
               .spec = SPREAD(SKEW_ANYWAY(ZONE, 1, WEB)));

    world_plan(w);

    assert_pending(w, "");
    assert_zones(w, "a=6 b=1");
}

TEST_F(World, w, row_zone_spread_and_hostname_spread_hold_together) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 7, .labels = WEB, .requests = "cpu: 100m",
               .spec = SPREAD(SKEW(ZONE, 1, WEB, "") ", " SKEW(HOST, 2, WEB, "")));

    world_plan(w);

    assert_zones(w, "a=3 b=2 c=2");
    assert_per_node(w, "", "2 2 2 1");
}

TEST_F(World, w, row_zone_spread_over_two_batches) {
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "small"));
    world_pods(w, .name = "first", .count = 4, .labels = WEB, .requests = "cpu: 1500m", .spec = ZONE_SKEW);
    world_plan(w);
    assert_zones(w, "a=2 b=1 c=1");
    world_launch(w);
    world_pods(w, .name = "second", .count = 4, .labels = WEB, .requests = "cpu: 1500m", .spec = ZONE_SKEW);

    world_plan(w);

    assert_zones(w, "a=3 b=3 c=2");
}

// --- hostname spread

TEST_F(World, w, row_hostname_spread_skew_one_is_one_pod_per_node) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 100m",
               .spec = SPREAD(SKEW(HOST, 1, WEB, "")));

    world_plan(w);

    assert_per_node(w, "", "1 1 1 1");
}

TEST_F(World, w, row_hostname_spread_up_to_max_skew_pods_per_node) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "four", .count = 4, .labels = "app: four", .requests = "cpu: 100m",
               .spec = SPREAD(SKEW(HOST, 4, "app: four", "")));
    world_pods(w, .name = "two", .count = 5, .labels = "app: two", .requests = "cpu: 100m",
               .spec = SPREAD(SKEW(HOST, 2, "app: two", "")));

    world_plan(w);

    assert_per_node(w, "app=four", "4");
    assert_per_node(w, "app=two", "2 2 1");
}

// A new node can always be opened, so the minimum is 0 whatever the existing nodes have.
TEST_F(World, w, row_hostname_spread_minimum_is_always_zero) {
    world_pool(w, .name = "default");
    full_node(w, "node-1", "a", 3);
    world_node(w, .name = "node-2", .labels = ZONE ": a");
    world_pods(w, .name = "there", .count = 3, .labels = WEB, .node = "node-2");
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 100m", .spec = SPREAD(SKEW(HOST, 1, WEB, "")));

    world_plan(w);

    assert_pods_on(w, "default-1", "web"); // node-2 has room, and 3 already
}

TEST_F(World, w, row_hostname_spread_two_workloads_share_nodes) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "one", .count = 2, .labels = "app: one", .requests = "cpu: 100m",
               .spec = SPREAD(SKEW(HOST, 1, "app: one", "")));
    world_pods(w, .name = "two", .count = 2, .labels = "app: two", .requests = "cpu: 100m",
               .spec = SPREAD(SKEW(HOST, 1, "app: two", "")));

    world_plan(w);

    assert_per_node(w, "", "2 2");
}

TEST_F(World, w, row_hostname_spread_uses_existing_nodes) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1");
    world_node(w, .name = "node-2");
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 100m",
               .spec = SPREAD(SKEW(HOST, 1, WEB, "")));

    world_plan(w);

    assert_pods_on(w, "node-1", "web-0");
    assert_pods_on(w, "node-2", "web-1");
    assert_claims(w, 1);
}

// --- other keys

TEST_F(World, w, row_spread_over_capacity_type) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 100m",
               .spec = SPREAD(SKEW(CAPACITY_TYPE, 1, WEB, "")));

    world_plan(w);

    assert_domains(w, CAPACITY_TYPE, "", "on-demand=2 spot=2");
    assert_claims(w, 2);
}

TEST_F(World, w, row_spread_over_capacity_type_limited_by_the_pods_selector) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 100m",
               .spec = SPREAD(SKEW(CAPACITY_TYPE, 1, WEB, "")) ", " SELECT(CAPACITY_TYPE ": spot"));

    world_plan(w);

    assert_domains(w, CAPACITY_TYPE, "", "spot=4");
}

TEST_F(World, w, row_spread_over_arch) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 100m",
               .spec = SPREAD(SKEW(ARCH, 1, WEB, "")));

    world_plan(w);

    assert_domains(w, ARCH, "", "amd64=2 arm64=2");
}

TEST_F(World, w, row_spread_over_a_label_of_the_pool) {
    world_pool(w, .name = "default", .requirements = IN("load_table", "r1, r2, r3"));
    world_pods(w, .name = "web", .count = 6, .labels = WEB, .requests = "cpu: 100m",
               .spec = SPREAD(SKEW("load_table", 1, WEB, "")));

    world_plan(w);

    assert_domains(w, "load_table", "", "r1=2 r2=2 r3=2");
    assert_label(w, 0, "load_table", "r1");
}

TEST_F(World, w, row_spread_over_a_label_of_two_pools_templates) {
    world_pool(w, .name = "spot", .requirements = IN(CAPACITY_TYPE, "spot"), .labels = "capacity-spread: \"1\"");
    world_pool(w, .name = "od", .requirements = IN(CAPACITY_TYPE, "on-demand"), .labels = "capacity-spread: \"2\"");
    world_pods(w, .name = "web", .count = 6, .labels = WEB, .requests = "cpu: 100m",
               .spec = SPREAD(SKEW("capacity-spread", 1, WEB, "")));

    world_plan(w);

    assert_domains(w, "capacity-spread", "", "1=3 2=3");
}

TEST_F(World, w, row_spread_over_an_unknown_key_stays_pending_and_others_do_not) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "odd", .labels = WEB, .requests = "cpu: 100m", .spec = SPREAD(SKEW("unknown", 1, WEB, "")));
    world_pods(w, .name = "web", .count = 2, .labels = WEB, .requests = "cpu: 100m", .spec = ZONE_SKEW);
    world_pods(w, .name = "plain", .requests = "cpu: 100m");

    world_plan(w);

    assert_pending(w, "odd");
    assert_domains(w, ZONE, "app=web", "a=1 b=1");
}

TEST_F(World, w, row_spread_over_two_keys_at_once) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 6, .labels = WEB, .requests = "cpu: 100m",
               .spec = SPREAD(SKEW(ZONE, 1, WEB, "") ", " SKEW(CAPACITY_TYPE, 1, WEB, "")));

    world_plan(w);

    assert_zones(w, "a=2 b=2 c=2");
    assert_domains(w, CAPACITY_TYPE, "", "on-demand=3 spot=3");
}

// Two constraints on one key: in Karpenter each may pick a different lowest domain and fail (scheduling.md 10).
TEST_F(World, w, row_spread_with_two_constraints_on_one_key) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    full_node(w, "node-a", "a", 1);
    world_pods(w, .name = "new", .count = 3, .labels = "app: web, new: \"true\"", .requests = "cpu: 1100m",
               .spec = SPREAD(SKEW(ZONE, 1, WEB, "") ", " SKEW(ZONE, 2, "new: \"true\"", "")));

    world_plan(w);

    assert_pending(w, "");
    assert_domains(w, ZONE, "app=web", "a=2 b=2");
}

// --- matchLabelKeys

#define BY_REVISION SPREAD(SKEW(ZONE, 1, WEB, ", matchLabelKeys: [pod-template-hash]"))

TEST_F(World, w, row_match_label_keys_each_revision_spreads_separately) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    world_pods(w, .name = "old", .count = 2, .labels = "app: web, pod-template-hash: old", .requests = "cpu: 100m",
               .spec = BY_REVISION);
    world_pods(w, .name = "new", .count = 2, .labels = "app: web, pod-template-hash: new", .requests = "cpu: 100m",
               .spec = BY_REVISION);

    world_plan(w);

    assert_domains(w, ZONE, "pod-template-hash=old", "a=1 b=1");
    assert_domains(w, ZONE, "pod-template-hash=new", "a=1 b=1");
}

TEST_F(World, w, row_match_label_keys_do_not_see_the_old_revision) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    world_node(w, .name = "node-a", .labels = ZONE ": a", .allocatable = "cpu: 0, memory: 1Gi, pods: 110");
    world_pods(w, .name = "old", .count = 3, .labels = "app: web, pod-template-hash: old", .node = "node-a");
    world_pods(w, .name = "new", .count = 4, .labels = "app: web, pod-template-hash: new", .requests = "cpu: 100m",
               .spec = BY_REVISION);

    world_plan(w);

    assert_domains(w, ZONE, "pod-template-hash=new", "a=2 b=2");
}

TEST_F(World, w, row_match_label_keys_absent_on_the_pod_are_ignored) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    full_node(w, "node-a", "a", 1);
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1100m", .spec = BY_REVISION);

    world_plan(w);

    assert_domains(w, ZONE, "app=web", "a=2 b=2");
}

// --- default spread

#define DEFAULT_CONFIG                                                                                                 \
    "podTopologySpread: {defaultConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, "                 \
    "whenUnsatisfiable: DoNotSchedule}]}"

// Deducing selectors is tested in test_default_spread.c; here their effect on plans.
TEST_F(World, w, row_default_spread_applies_to_pods_of_a_service) {
    world_pool(w, .name = "default");
    world_default_spread(w, DEFAULT_CONFIG);
    world_object(w, "apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}}");
    world_pods(w, .name = "web", .count = 6, .labels = WEB, .requests = "cpu: 100m");
    world_pods(w, .name = "alone", .count = 3, .labels = "app: alone", .requests = "cpu: 100m");

    world_plan(w);

    assert_domains(w, ZONE, "app=web", "a=2 b=2 c=2");
    assert_per_node(w, "app=alone", "3"); // no selector can be deduced
}

TEST_F(World, w, row_default_spread_yields_to_the_pods_own_constraints) {
    world_pool(w, .name = "default");
    world_default_spread(w, DEFAULT_CONFIG);
    world_object(w, "apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}}");
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 100m",
               .spec = SPREAD(SKEW(ZONE, 3, WEB, "")));

    world_plan(w);

    assert_claims(w, 1);
}

// Each Deployment has a ReplicaSet per revision, and each ReplicaSet its own selector.
TEST_F(World, w, row_default_spread_is_per_workload_and_revision) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    world_default_spread(w, DEFAULT_CONFIG);
#define REVISION(name)                                                                                                 \
    world_object(w,                                                                                                    \
                 "apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-" name "}, spec: {replicas: 2, "         \
                 "selector: {matchLabels: {app: web, rev: " name "}}, template: {metadata: {labels: {app: web, "       \
                 "rev: " name "}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}]}}}")
    REVISION("old");
    REVISION("new");

    world_plan(w);

    assert_domains(w, ZONE, "rev=old", "a=1 b=1");
    assert_domains(w, ZONE, "rev=new", "a=1 b=1");
}

// Whether a claim's pods count depends on its category, which is undecided while it has types of several.
TEST_F(World, w, row_capacity_type_spread_decides_whether_a_claim_counts) {
    static const char *const categories[] = {"c", "m", "r"};

    for (int i = 0; i < 3; i++) {
        static char names[6][8], labels[3][96];

        snprintf(labels[i], sizeof labels[i], IN("karpenter.k8s.aws/instance-category", "%s"), categories[i]);
        snprintf(names[2 * i], sizeof names[0], "%s-16", categories[i]);
        snprintf(names[2 * i + 1], sizeof names[0], "%s-4", categories[i]);
        world_type(w, .name = names[2 * i], .capacity = "cpu: 16, memory: 64Gi, pods: 100", .labels = labels[i],
                   .price = 0.8 + 0.1 * i);
        world_type(w, .name = names[2 * i + 1], .capacity = "cpu: 4, memory: 16Gi, pods: 100", .labels = labels[i],
                   .price = 0.2 + 0.1 * i);
    }
    world_pool(w, .name = "default");
    world_pods(w, .name = "large", .count = 12, .labels = "tier: web", .requests = "cpu: 4");
    world_pods(
        w, .name = "small", .count = 6, .labels = "tier: web", .requests = "cpu: 1",
        .spec = SPREAD(SKEW(CAPACITY_TYPE, 1, "tier: web", "")) ", " SELECT(
            "karpenter.k8s.aws/instance-category: c") ", " AFFINITY(PREFER_NODE(PREFER_TERM(1, NOT_IN(CAPACITY_TYPE,
                                                                                                      "spot")))));

    world_plan(w);

    assert_pending(w, "");
}

// Topology rules use keys as they are written, so the other rule needs nodes with the deprecated label.
TEST_F(World, w, row_spread_over_an_old_name_of_the_zone_beside_another_key) {
    world_pool(w, .name = "default", .requirements = IN("x.io/rack", "r1, r2"));
    world_pods(
        w, .name = "web", .labels = WEB, .requests = "cpu: 1",
        .spec = SPREAD(SKEW("failure-domain.beta.kubernetes.io/zone", 1, WEB, "") ", " SKEW("x.io/rack", 1, WEB, "")));

    world_plan(w);

    assert_pending(w, "web"); // no node has that label
}
