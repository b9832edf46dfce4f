// Pod affinity and anti-affinity. Rows of reference scheduling.md 12: affinity, anti-affinity.
#include "harness/test.h"
#include "sched/support/world_plan.h"

#include <stdio.h>

#define WEB         "app: web"
#define WITH_WEB    AFFINITY(NEAR(PODS(HOST, WEB, "")))
#define ZONE_OF_WEB AFFINITY(NEAR(PODS(ZONE, WEB, "")))

// --- affinity

TEST_F(World, w, row_affinity_to_itself_by_hostname_fills_one_node) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 100m", .spec = WITH_WEB);

    world_plan(w);

    assert_per_node(w, "", "3");
}

TEST_F(World, w, row_affinity_to_itself_by_hostname_overflow_stays_pending_across_batches) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 12, .labels = WEB, .requests = "cpu: 100m", .spec = WITH_WEB);

    world_plan(w);
    assert_per_node(w, "", "10");
    assert_pending(w, "web-10 web-11");
    world_launch(w);

    world_plan(w);
    assert_claims(w, 0);
    assert_pending(w, "web-10 web-11");
}

TEST_F(World, w, row_affinity_to_itself_by_hostname_joins_the_existing_node) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1");
    world_node(w, .name = "node-2");
    world_pods(w, .name = "there", .labels = WEB, .node = "node-2");
    world_pods(w, .name = "web", .count = 2, .labels = WEB, .requests = "cpu: 100m", .spec = WITH_WEB);

    world_plan(w);

    assert_pods_on(w, "node-2", "web-0 web-1");
}

TEST_F(World, w, row_affinity_to_itself_by_zone_keeps_all_in_one_zone) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 25, .labels = WEB, .requests = "cpu: 100m", .spec = ZONE_OF_WEB);

    world_plan(w);

    assert_zones(w, "a=25");
    assert_per_node(w, "", "10 10 5");
}

TEST_F(World, w, row_affinity_to_itself_by_zone_with_a_constraint_keeps_all_there) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 12, .labels = WEB, .requests = "cpu: 100m",
               .spec = AFFINITY(NODE(TERM(IN(ZONE, "c"))) ", " NEAR(PODS(ZONE, WEB, ""))));

    world_plan(w);

    assert_zones(w, "c=12");
}

// Q15 and "two first domains": one domain is opened, also when only a larger pod decides it.
TEST_F(World, w, row_affinity_to_itself_by_zone_opens_exactly_one) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "large", .labels = WEB, .requests = "cpu: 14", .spec = ZONE_OF_WEB);
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 14", .spec = ZONE_OF_WEB);

    world_plan(w);

    assert_zones(w, "a=4");
}

// A pod that may not use the zones of the pods it matches does not start another domain.
TEST_F(World, w, row_affinity_to_itself_does_not_open_a_second_domain) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-a", .labels = ZONE ": a");
    world_pods(w, .name = "there", .labels = WEB, .node = "node-a");
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1",
               .spec = SELECT(ZONE ": b") ", " AFFINITY(NEAR(PODS(ZONE, WEB, ""))));

    world_plan(w);

    assert_pending(w, "web");
}

TEST_F(World, w, row_affinity_to_itself_by_arch_label) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "anchor", .labels = WEB, .requests = "cpu: 2", .spec = SELECT(ARCH ": arm64"));
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1",
               .spec = AFFINITY(NEAR(PODS(ARCH, WEB, ""))));

    world_plan(w);

    assert_domains(w, ARCH, "", "arm64=4");
}

TEST_F(World, w, row_affinity_target_in_the_batch_scheduled_first) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "target", .labels = WEB, .requests = "cpu: 2", .spec = SELECT(ZONE ": b"));
    world_pods(w, .name = "follower", .count = 3, .requests = "cpu: 1", .spec = ZONE_OF_WEB);

    world_plan(w);

    assert_zones(w, "b=4");
}

// The followers are larger, so they are placed first by size, and have to wait for their target.
TEST_F(World, w, row_affinity_target_in_the_batch_scheduled_later) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "follower", .count = 3, .requests = "cpu: 3", .spec = ZONE_OF_WEB);
    world_pods(w, .name = "target", .labels = WEB, .requests = "cpu: 1", .spec = SELECT(ZONE ": b"));

    world_plan(w);

    assert_zones(w, "b=4");
}

TEST_F(World, w, row_affinity_target_without_a_zone_of_its_own) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "target", .labels = WEB, .requests = "cpu: 14");
    world_pods(w, .name = "follower", .count = 2, .requests = "cpu: 13", .spec = ZONE_OF_WEB);

    world_plan(w);

    assert_zones(w, "a=3");
    assert_claims(w, 3);
}

TEST_F(World, w, row_affinity_chain_of_followers) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "third", .labels = "app: third", .requests = "cpu: 3",
               .spec = AFFINITY(NEAR(PODS(ZONE, "app: second", ""))));
    world_pods(w, .name = "second", .labels = "app: second", .requests = "cpu: 2",
               .spec = AFFINITY(NEAR(PODS(ZONE, "app: first", ""))));
    world_pods(w, .name = "first", .labels = "app: first", .requests = "cpu: 1", .spec = SELECT(ZONE ": c"));

    world_plan(w);

    assert_zones(w, "c=3");
}

TEST_F(World, w, row_affinity_target_that_does_not_exist_leaves_the_pod_pending) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "follower", .requests = "cpu: 1", .spec = ZONE_OF_WEB);
    world_pods(w, .name = "same-node", .requests = "cpu: 1", .spec = WITH_WEB);

    world_plan(w);

    assert_pending(w, "follower same-node");
}

TEST_F(World, w, row_affinity_target_that_is_running) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-b", .labels = ZONE ": b", .allocatable = "cpu: 0, memory: 1Gi, pods: 5");
    world_pods(w, .name = "target", .labels = WEB, .node = "node-b");
    world_pods(w, .name = "follower", .requests = "cpu: 1", .spec = ZONE_OF_WEB);
    world_pods(w, .name = "same-node", .requests = "cpu: 1", .spec = WITH_WEB);

    world_plan(w);

    assert_pending(w, "same-node"); // node-b is full
    assert_requirement(w, 0, ZONE, ZONE " In [b]");
}

// kube-scheduler wants pods that match every term; each of two targets matches one.
TEST_F(World, w, row_affinity_terms_all_count) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-a", .labels = ZONE ": a");
    world_node(w, .name = "node-b", .labels = ZONE ": b");
    world_pods(w, .name = "web", .labels = "app: web", .node = "node-a");
    world_pods(w, .name = "both", .labels = "app: web, tier: db", .node = "node-b");
    world_pods(w, .name = "follower", .requests = "cpu: 1",
               .spec = AFFINITY(NEAR(PODS(ZONE, "app: web", "") ", " PODS(ZONE, "tier: db", ""))));

    world_plan(w);

    assert_pods_on(w, "node-b", "follower");
}

// --- namespaces

// A target in another namespace than its followers.
static void add_other_target(World *w) {
    world_pool(w, .name = "default");
    world_object(w, "apiVersion: v1, kind: Namespace, metadata: {name: other, labels: {team: red}}");
    world_node(w, .name = "node-b", .labels = ZONE ": b");
    world_pods(w, .name = "target", .labels = WEB, .node = "node-b", .ns = "other");
}

TEST_F(World, w, row_affinity_other_namespace_is_not_looked_at) {
    add_other_target(w);
    world_pods(w, .name = "follower", .requests = "cpu: 1", .spec = ZONE_OF_WEB);

    world_plan(w);

    assert_pending(w, "follower");
}

TEST_F(World, w, row_affinity_namespaces_list_is) {
    add_other_target(w);
    world_pods(w, .name = "listed", .requests = "cpu: 1",
               .spec = AFFINITY(NEAR(PODS(ZONE, WEB, ", namespaces: [other]"))));
    world_pods(w, .name = "unlisted", .requests = "cpu: 1",
               .spec = AFFINITY(NEAR(PODS(ZONE, WEB, ", namespaces: [default, third]"))));

    world_plan(w);

    assert_pods_on(w, "node-b", "listed");
    assert_pending(w, "unlisted");
}

TEST_F(World, w, row_affinity_empty_namespace_selector_is_every_namespace) {
    add_other_target(w);
    world_pods(w, .name = "follower", .requests = "cpu: 1",
               .spec = AFFINITY(NEAR(PODS(ZONE, WEB, ", namespaceSelector: {}"))));

    world_plan(w);

    assert_pods_on(w, "node-b", "follower");
}

TEST_F(World, w, row_affinity_namespace_selector_filters_by_labels) {
    add_other_target(w);
    world_pods(w, .name = "red", .requests = "cpu: 1",
               .spec = AFFINITY(NEAR(PODS(ZONE, WEB, ", namespaceSelector: {matchLabels: {team: red}}"))));
    world_pods(w, .name = "blue", .requests = "cpu: 1",
               .spec = AFFINITY(NEAR(PODS(ZONE, WEB, ", namespaceSelector: {matchLabels: {team: blue}}"))));
    world_pods(w, .name = "name", .requests = "cpu: 1",
               .spec = AFFINITY(
                   NEAR(PODS(ZONE, WEB, ", namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: other}}"))));

    world_plan(w);

    assert_pods_on(w, "node-b", "red name");
    assert_pending(w, "blue");
}

// --- anti-affinity

// A claim that takes a pod of a zone rule is pinned to one zone (sched/index/topology.h): where Karpenter writes all
// zones that are left, tenon writes the one that it counts the pod in.

#define APART_BY(key) AFFINITY(APART(PODS(key, WEB, "")))

TEST_F(World, w, row_anti_affinity_by_hostname_is_one_per_node) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 100m", .spec = APART_BY(HOST));

    world_plan(w);

    assert_per_node(w, "", "1 1 1 1");
}

TEST_F(World, w, row_anti_affinity_by_hostname_avoids_the_node_that_has_one) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1");
    world_pods(w, .name = "there", .labels = WEB, .node = "node-1");
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 100m", .spec = APART_BY(HOST));
    world_pods(w, .name = "other", .requests = "cpu: 100m");

    world_plan(w);

    assert_pods_on(w, "default-1", "web");
    assert_pods_on(w, "node-1", "other");
}

// Karpenter places one pod per solve, as a pod blocks every zone that its claim could still be in, and the others wait
// for the next loop. tenon decides the zone with the pod, so all that fit are placed at once (scheduling.md 11).
TEST_F(World, w, row_anti_affinity_by_zone_three_zones_and_the_fourth_pending) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 100m", .spec = APART_BY(ZONE));

    world_plan(w);

    assert_zones(w, "a=1 b=1 c=1");
    assert_pending(w, "web-3");
}

TEST_F(World, w, row_anti_affinity_by_zone_knows_the_pods_of_the_next_batch) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 2, .labels = WEB, .requests = "cpu: 100m", .spec = APART_BY(ZONE));
    world_plan(w);
    world_launch(w);
    world_pods(w, .name = "next", .count = 2, .labels = WEB, .requests = "cpu: 100m", .spec = APART_BY(ZONE));

    world_plan(w);

    assert_zones(w, "a=1 b=1 c=1");
    assert_pending(w, "next-1");
}

TEST_F(World, w, row_anti_affinity_to_others_keeps_away_from_them) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 2", .spec = SELECT(ZONE ": a"));
    world_pods(w, .name = "shy", .count = 3, .requests = "cpu: 1", .spec = APART_BY(ZONE));

    world_plan(w);

    assert_requirement(w, 0, ZONE, ZONE " In [a]");
    assert_requirement(w, 1, ZONE, ZONE " In [b]");
    assert_pods_on(w, "default-2", "shy-0 shy-1 shy-2");
}

TEST_F(World, w, row_anti_affinity_inverse_pod_without_a_rule_must_avoid) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "shy", .requests = "cpu: 2", .spec = SELECT(ZONE ": a") ", " APART_BY(ZONE));
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1");

    world_plan(w);

    assert_pending(w, "");
    assert_pods_on(w, "default-1", "shy");
    assert_requirement(w, 1, ZONE, ZONE " In [b]");
}

TEST_F(World, w, row_anti_affinity_inverse_of_running_pods) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-a", .labels = ZONE ": a");
    world_pods(w, .name = "shy", .node = "node-a", .spec = APART_BY(ZONE));
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1");
    world_pods(w, .name = "in-a", .labels = WEB, .requests = "cpu: 1", .spec = SELECT(ZONE ": a"));

    world_plan(w);

    assert_pending(w, "in-a");
    assert_requirement(w, 0, ZONE, ZONE " NotIn [a]"); // no rule counts "web": its zone stays open
}

TEST_F(World, w, row_anti_affinity_inverse_by_hostname) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1");
    world_pods(w, .name = "shy", .node = "node-1", .spec = APART_BY(HOST));
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1");

    world_plan(w);

    assert_pods_on(w, "default-1", "web");
}

TEST_F(World, w, row_anti_affinity_inverse_in_other_namespaces_does_not_count) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1");
    world_pods(w, .name = "shy", .node = "node-1", .spec = APART_BY(HOST), .ns = "other");
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1");

    world_plan(w);

    assert_pods_on(w, "node-1", "web");
}

// In Karpenter the first pod may be in any zone until its node is up, so the pod that must avoid it waits for the next
// loop. tenon decides the zone at once: both are placed, in different zones.
TEST_F(World, w, row_anti_affinity_undecided_zone_is_settled_at_once) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "shy", .requests = "cpu: 2", .spec = APART_BY(ZONE));
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1", .spec = SELECT(ZONE ": b"));

    world_plan(w);

    assert_pending(w, "");
    assert_requirement(w, 0, ZONE, ZONE " In [a]");
    assert_requirement(w, 1, ZONE, ZONE " In [b]");
}

// Q19: upstream records nothing for a selected pod on a node whose zone is open; the plan must be sound all the same.
TEST_F(World, w, row_anti_affinity_selected_pod_on_an_undecided_node_is_recorded) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 2");
    world_pods(w, .name = "shy", .requests = "cpu: 1", .spec = APART_BY(ZONE));

    world_plan(w);

    assert_pending(w, "");
    assert_requirement(w, 0, ZONE, ZONE " In [a]");
    assert_requirement(w, 1, ZONE, ZONE " In [b]");
}

TEST_F(World, w, row_anti_affinity_and_affinity_together) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 100m",
               .spec = AFFINITY(NEAR(PODS(ZONE, WEB, "")) ", " APART(PODS(HOST, WEB, ""))));

    world_plan(w);

    assert_zones(w, "a=3");
    assert_per_node(w, "", "1 1 1");
}

// A node without the label is in no zone, so a zone rule does not apply to it.
TEST_F(World, w, row_anti_affinity_node_without_the_label_is_in_no_domain) {
    world_node(w, .name = "nowhere");
    world_pods(w, .name = "there", .labels = WEB, .node = "nowhere");
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1", .spec = APART_BY(ZONE));

    world_plan(w);

    assert_pods_on(w, "nowhere", "web");
}

// --- preferred

TEST_F(World, w, row_anti_affinity_preferred_is_respected_while_it_can_be) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 100m",
               .spec = AFFINITY(PREFER_APART(PREFER_POD(1, HOST, WEB))));

    world_plan(w);

    assert_per_node(w, "", "1 1 1");
}

TEST_F(World, w, row_anti_affinity_preferred_may_be_violated) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 5, .labels = WEB, .requests = "cpu: 100m",
               .spec = AFFINITY(PREFER_APART(PREFER_POD(1, ZONE, WEB))));

    world_plan(w);

    assert_pending(w, "");
}

TEST_F(World, w, row_anti_affinity_preferred_inverse_may_be_violated) {
    world_node(w, .name = "node-a", .labels = ZONE ": a");
    world_pods(w, .name = "shy", .node = "node-a", .spec = AFFINITY(PREFER_APART(PREFER_POD(1, ZONE, WEB))));
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1");

    world_plan(w);

    assert_pods_on(w, "node-a", "web");
}

TEST_F(World, w, row_affinity_preferred_may_be_violated) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "follower", .requests = "cpu: 1", .spec = AFFINITY(PREFER_NEAR(PREFER_POD(1, ZONE, WEB))));

    world_plan(w);

    assert_pending(w, "");
}

TEST_F(World, w, row_affinity_preferred_is_respected_while_it_can_be) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-b", .labels = ZONE ": b", .allocatable = "cpu: 0, memory: 1Gi, pods: 5");
    world_pods(w, .name = "target", .labels = WEB, .node = "node-b");
    world_pods(w, .name = "follower", .requests = "cpu: 1", .spec = AFFINITY(PREFER_NEAR(PREFER_POD(1, ZONE, WEB))));

    world_plan(w);

    assert_requirement(w, 0, ZONE, ZONE " In [b]");
}
