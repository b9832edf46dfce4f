// Preferences of pods. Row of reference scheduling.md 12: preferences; order of relaxation: scheduling.md 5.8.
#include "harness/test.h"
#include "sched/support/world_plan.h"

#include <stdio.h>

#define WEB  "app: web"
#define SOFT "taints: [{key: soft, effect: PreferNoSchedule}]"

// --- PreferNoSchedule

TEST_F(World, w, row_preferences_prefer_no_schedule_is_tolerated_when_nothing_else_works) {
    world_pool(w, .name = "soft", .template = SOFT);
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pool(w, 0, "soft");
}

TEST_F(World, w, row_preferences_pool_without_the_taint_is_preferred) {
    world_pool(w, .name = "soft", .template = SOFT, .spec = "weight: 100");
    world_pool(w, .name = "plain", .spec = "weight: 1");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pool(w, 0, "plain");
}

TEST_F(World, w, row_preferences_pod_that_tolerates_the_soft_taint_goes_by_weight) {
    world_pool(w, .name = "soft", .template = SOFT, .spec = "weight: 100");
    world_pool(w, .name = "plain", .spec = "weight: 1");
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = TOLERATE("{key: soft, operator: Exists}"));

    world_plan(w);

    assert_pool(w, 0, "soft");
}

// tenon's own taint of nodes that are planned to go is for kube-scheduler: plans use the room that there is.
TEST_F(World, w, a_node_that_is_planned_to_go_takes_pods_like_others) {
    world_pool(w, .name = "plain");
    world_node(w, .name = "n-1", .pool = "plain", .taints = "{key: tenon.sh/planned-to-go, effect: PreferNoSchedule}");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_claims(w, 0);
}

// The preferred zone is only in the pool with the taint: the preference is relaxed first, and the pod goes elsewhere.
TEST_F(World, w, row_preferences_node_affinity_is_relaxed_before_the_taint) {
    world_pool(w, .name = "soft", .requirements = IN(ZONE, "a"), .template = SOFT);
    world_pool(w, .name = "plain", .requirements = IN(ZONE, "b"));
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = AFFINITY(PREFER_NODE(PREFER_TERM(1, IN(ZONE, "a")))));

    world_plan(w);

    assert_pool(w, 0, "plain");
}

TEST_F(World, w, row_preferences_pod_affinity_is_relaxed_before_the_taint) {
    world_pool(w, .name = "soft", .requirements = IN(ZONE, "a"), .template = SOFT);
    world_pool(w, .name = "plain", .requirements = IN(ZONE, "b"));
    world_node(w, .name = "node-a", .labels = ZONE ": a", .allocatable = "cpu: 0, memory: 1Gi, pods: 5");
    world_pods(w, .name = "target", .labels = WEB, .node = "node-a");
    world_pods(w, .name = "near", .requests = "cpu: 1", .spec = AFFINITY(PREFER_NEAR(PREFER_POD(1, ZONE, WEB))));

    world_plan(w);

    assert_pool(w, 0, "plain");
}

TEST_F(World, w, row_preferences_schedule_anyway_is_relaxed_before_the_taint) {
    world_pool(w, .name = "soft", .requirements = IN(ZONE, "a"), .template = SOFT);
    world_pool(w, .name = "plain", .requirements = IN(ZONE, "b"));
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 1",
               .spec = SPREAD(SKEW_ANYWAY(ZONE, 1, WEB)));

    world_plan(w);

    assert_zones(w, "b=4");
}

// --- order of relaxation

TEST_F(World, w, row_preferences_the_heaviest_node_term_is_in_force_first) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(1, IN(ZONE, "a")) ", " PREFER_TERM(
                   50, IN(ZONE, "b")) ", " PREFER_TERM(20, IN(ZONE, "c")))));

    world_plan(w);

    assert_zones(w, "b=1");
}

TEST_F(World, w, row_preferences_the_next_heaviest_node_term_follows) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(1, IN(ZONE, "a")) ", " PREFER_TERM(
                   50, IN(ZONE, "x")) ", " PREFER_TERM(20, IN(ZONE, "c")))));

    world_plan(w);

    assert_zones(w, "c=1");
}

// Pod affinity is relaxed before node affinity, and pod anti-affinity between the two.
TEST_F(World, w, row_preferences_pod_affinity_is_relaxed_before_node_affinity) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-a", .labels = ZONE ": a", .allocatable = "cpu: 0, memory: 1Gi, pods: 5");
    world_pods(w, .name = "target", .labels = WEB, .node = "node-a");
    world_pods(w, .name = "near", .requests = "cpu: 1",
               .spec =
                   AFFINITY(PREFER_NEAR(PREFER_POD(100, ZONE, WEB)) ", " PREFER_NODE(PREFER_TERM(1, IN(ZONE, "b")))));
    world_pods(w, .name = "apart", .requests = "cpu: 1",
               .spec =
                   AFFINITY(PREFER_APART(PREFER_POD(100, ZONE, WEB)) ", " PREFER_NODE(PREFER_TERM(1, IN(ZONE, "a")))));

    world_plan(w);

    assert_pods_on(w, "default-1", "apart");
    assert_requirement(w, 0, ZONE, ZONE " In [a]");
    assert_requirement(w, 1, ZONE, ZONE " In [b]");
}

TEST_F(World, w, row_preferences_pod_affinity_is_relaxed_before_pod_anti_affinity) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-a", .labels = ZONE ": a", .allocatable = "cpu: 0, memory: 1Gi, pods: 5");
    world_pods(w, .name = "target", .labels = WEB, .node = "node-a");
    world_pods(w, .name = "torn", .requests = "cpu: 1",
               .spec = AFFINITY(PREFER_NEAR(PREFER_POD(100, ZONE, WEB)) ", " PREFER_APART(PREFER_POD(1, ZONE, WEB))));

    world_plan(w);

    assert_requirement(w, 0, ZONE, ZONE " NotIn [a]");
}

// Of several preferences of a kind, the heaviest is given up first, and the others stay in force.
TEST_F(World, w, row_preferences_the_heaviest_pod_affinity_is_dropped_first) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-b", .labels = ZONE ": b", .allocatable = "cpu: 0, memory: 1Gi, pods: 5");
    world_pods(w, .name = "target", .labels = WEB, .node = "node-b");
    world_pods(w, .name = "near", .requests = "cpu: 1",
               .spec = AFFINITY(PREFER_NEAR(PREFER_POD(1, ZONE, WEB) ", " PREFER_POD(100, ZONE, "app: nobody"))));

    world_plan(w);

    assert_requirement(w, 0, ZONE, ZONE " In [b]");
}

TEST_F(World, w, row_preferences_the_heaviest_pod_anti_affinity_is_dropped_first) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    world_node(w, .name = "node-a", .labels = ZONE ": a", .allocatable = "cpu: 0, memory: 1Gi, pods: 5");
    world_node(w, .name = "node-b", .labels = ZONE ": b", .allocatable = "cpu: 0, memory: 1Gi, pods: 5");
    world_pods(w, .name = "web-a", .labels = WEB, .node = "node-a");
    world_pods(w, .name = "web-b", .labels = WEB, .node = "node-b");
    world_pods(w, .name = "db", .labels = "app: db", .node = "node-a");
    world_pods(w, .name = "apart", .requests = "cpu: 1",
               .spec = AFFINITY(PREFER_APART(PREFER_POD(1, ZONE, "app: db") ", " PREFER_POD(100, ZONE, WEB))));

    world_plan(w);

    assert_requirement(w, 0, ZONE, ZONE " In [b]");
}

TEST_F(World, w, row_preferences_schedule_anyway_constraints_are_dropped_one_by_one) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a"));
    world_node(w, .name = "node-b", .labels = ZONE ": b", .allocatable = "cpu: 0, memory: 1Gi, pods: 5");
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 1",
               .spec = SPREAD(SKEW_ANYWAY(ZONE, 1, WEB) ", " SKEW_ANYWAY(CAPACITY_TYPE, 1, WEB)));

    world_plan(w);

    assert_zones(w, "a=4");
    assert_domains(w, CAPACITY_TYPE, "", "on-demand=2 spot=2");
}

TEST_F(World, w, row_preferences_or_terms_are_dropped_before_preferences) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec =
                   AFFINITY(NODE_BOTH(TERM(IN(ZONE, "a")) ", " TERM(IN(ZONE, "b, c")), PREFER_TERM(1, IN(ZONE, "c")))));

    world_plan(w);

    assert_zones(w, "c=1");
}

TEST_F(World, w, row_preferences_are_tried_anew_in_the_next_batch) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a"));
    world_pods(w, .name = "web", .requests = "cpu: 17, memory: 1Gi",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(1, IN(ZONE, "b")))));
    world_plan(w);
    assert_pending(w, "web");
    world_drop_pools(w);
    world_node(w, .name = "node-a", .labels = ZONE ": a", .allocatable = "cpu: 20, memory: 8Gi, pods: 5");
    world_node(w, .name = "node-b", .labels = ZONE ": b", .allocatable = "cpu: 20, memory: 8Gi, pods: 5");

    world_plan(w);

    assert_pods_on(w, "node-b", "web");
}

// --- Ignore

TEST_F(World, w, row_preferences_ignore_preferred_node_affinity) {
    world_pool(w, .name = "default");
    world_ignore_preferences(w);
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 1",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(1, IN(ZONE, "b")))));
    world_pods(w, .name = "plain", .requests = "cpu: 1");

    world_plan(w);

    assert_requirement(w, 0, ZONE, "");
    assert_claims(w, 1);
}

TEST_F(World, w, row_preferences_ignore_preferred_pod_affinity) {
    world_pool(w, .name = "default");
    world_ignore_preferences(w);
    world_node(w, .name = "node-b", .labels = ZONE ": b", .allocatable = "cpu: 0, memory: 1Gi, pods: 5");
    world_pods(w, .name = "target", .labels = WEB, .node = "node-b");
    world_pods(w, .name = "near", .requests = "cpu: 1", .spec = AFFINITY(PREFER_NEAR(PREFER_POD(1, ZONE, WEB))));

    world_plan(w);

    assert_requirement(w, 0, ZONE, "");
}

TEST_F(World, w, row_preferences_ignore_preferred_pod_anti_affinity) {
    world_pool(w, .name = "default");
    world_ignore_preferences(w);
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1",
               .spec = AFFINITY(PREFER_APART(PREFER_POD(1, HOST, WEB))));

    world_plan(w);

    assert_per_node(w, "", "3");
}

TEST_F(World, w, row_preferences_ignore_schedule_anyway) {
    world_pool(w, .name = "default");
    world_ignore_preferences(w);
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1",
               .spec = SPREAD(SKEW_ANYWAY(ZONE, 1, WEB)));

    world_plan(w);

    assert_per_node(w, "", "3");
}

TEST_F(World, w, row_preferences_ignore_keeps_what_is_required) {
    world_pool(w, .name = "default");
    world_ignore_preferences(w);
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, WEB, "")) ", " AFFINITY(
                   NODE_BOTH(TERM(IN(ZONE, "b, c")), PREFER_TERM(1, IN(ZONE, "a")))));

    world_plan(w);

    assert_zones(w, "b=2 c=1");
}

TEST_F(World, w, row_preferences_ignore_still_drops_or_terms_and_tolerates_soft_taints) {
    world_pool(w, .name = "soft", .template = SOFT);
    world_ignore_preferences(w);
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = AFFINITY(NODE(TERM(IN(ZONE, "x")) ", " TERM(IN(ZONE, "b")))));

    world_plan(w);

    assert_zones(w, "b=1");
}

// minValues requires types of two families, one with spot only, the other with on-demand only. A claim restricted to
// one capacity type, so that a spread can count its pod, has one family only. The pod's spread is a preference, which
// its last variant has given up.
TEST_F(World, w, a_pod_without_its_spread_settles_for_no_domain) {
    world_type(w, .name = "a", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .capacity_types = "spot", .price = 0.1,
               .labels = IN("family", "a"));
    world_type(w, .name = "b", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .capacity_types = "on-demand", .price = 0.1,
               .labels = IN("family", "b"));
    world_pool(w, .name = "default", .requirements = MIN_VALUES("family", "a, b", "2"));
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1",
               .spec = SPREAD(SKEW_ANYWAY(CAPACITY_TYPE, 1, WEB)));
    world_plan(w);

    assert_pending(w, "");
    assert_types(w, 0, "a b");
}
