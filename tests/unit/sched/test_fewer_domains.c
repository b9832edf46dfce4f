// Plans that leave domains without nodes, so that spreads allow more pods. docs/design/sched.md, "When pods are left
// over".
#include "harness/test.h"
#include "sched/support/world_plan.h"

static void add_zones(World *w) {
    world_type(w, .name = "one", .capacity = "cpu: 16, memory: 64Gi, pods: 20", .zones = "");
    world_offering(w, .type = "one", .zone = "a", .price = 0.4);
    world_offering(w, .type = "one", .zone = "b", .price = 0.4);
    world_pool(w, .name = "default");
}

// Three pods must share a host, and so a zone, though a zone may have one more than another. That holds where no node
// is in another zone; the pods of `web` would bring one.
TEST_F(World, w, pods_that_share_a_host_are_placed_where_no_other_zone_has_nodes) {
    add_zones(w);
    world_pods(w, .name = "group", .count = 3, .labels = "app: group", .requests = "cpu: 3",
               .spec = AFFINITY(NEAR(PODS(HOST, "app: group", ""))) ", " SPREAD(SKEW(ZONE, 1, "app: group", "")));
    world_pods(w, .name = "web", .count = 2, .labels = "app: web", .requests = "cpu: 4",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", "")));

    world_plan(w);

    assert_pending_count(w, 0);
    assert_domains(w, ZONE, "app=group", "b=3");
    assert_domains(w, ZONE, "app=web", "b=2");
}

// The cheapest zone is one where the lighter pool has no nodes. Its claims would bring another zone.
TEST_F(World, w, a_lighter_pool_does_not_bring_another_domain) {
    add_zones(w);
    world_offering(w, .type = "one", .zone = "c", .price = 0.3);
    world_pool(w, .name = "batch", .requirements = NOT_IN(ZONE, "c"),
               .template = "taints: [{key: team, value: red, effect: NoSchedule}]");
    world_pods(w, .name = "group", .count = 3, .labels = "app: group", .requests = "cpu: 3",
               .spec = AFFINITY(NEAR(PODS(HOST, "app: group", ""))) ", " SPREAD(
                   SKEW(ZONE, 1, "app: group", "")) ", " TOLERATE("{operator: Exists}"));
    world_pods(w, .name = "web", .count = 2, .labels = "app: web", .requests = "cpu: 4",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", "")) ", " TOLERATE("{operator: Exists}"));

    world_plan(w);

    assert_pending_count(w, 0);
    assert_domains(w, ZONE, "app=group", "c=3");
    assert_domains(w, ZONE, "app=web", "c=2");
}

// The second pod of the group has no place, as two zones have nodes already. Claims in the cheap zone alone, which the
// heavier pool has not, place no more pods, and that they are cheaper is no reason to pass it by.
TEST_F(World, w, a_lower_price_in_another_domain_does_not_pass_by_a_heavier_pool) {
    world_type(w, .name = "one", .capacity = "cpu: 8, memory: 32Gi, pods: 7, ephemeral-storage: 20Gi", .zones = "");
    world_offering(w, .type = "one", .zone = "a", .price = 0.17);
    world_offering(w, .type = "one", .zone = "b", .price = 0.12);
    world_offering(w, .type = "one", .zone = "c", .price = 0.26);
    world_pool(w, .name = "light", .spec = "weight: 10");
    world_pool(w, .name = "heavy", .spec = "weight: 100", .requirements = IN(ZONE, "c"));
    world_node(w, .name = "node-1", .labels = ZONE ": a",
               .allocatable = "cpu: 0.9, memory: 4Gi, pods: 10, ephemeral-storage: 20Gi");
    world_node(w, .name = "node-2", .labels = ZONE ": c",
               .allocatable = "cpu: 0.9, memory: 4Gi, pods: 10, ephemeral-storage: 20Gi");
    world_pods(w, .name = "group", .count = 2, .labels = "app: group", .requests = "cpu: 3.5",
               .spec = AFFINITY(NEAR(PODS(ZONE, "app: group", ""))) ", " SPREAD(SKEW(ZONE, 1, "app: group", "")));
    world_pods(w, .name = "plain", .count = 5, .requests = "cpu: 0.55, ephemeral-storage: 9Gi");

    world_plan(w);

    assert_pending_count(w, 1);
    assert_claims(w, 2);
    assert_pool(w, 0, "heavy");
    assert_pool(w, 1, "heavy");
}

// The spread of the group, which must be on spot, counts zones with spot nodes alone. So a pod of `web`, of which each
// zone may have one, finds a place in another zone on demand. The other one is on the node of the group: as there are
// fewer than four zones, it does not matter how many have nodes.
TEST_F(World, w, pods_that_the_spread_does_not_mind_may_be_in_another_zone) {
    world_type(w, .name = "one", .capacity = "cpu: 16, memory: 64Gi, pods: 20", .zones = "");
    world_offering(w, .type = "one", .zone = "a", .capacity_type = "spot", .price = 0.2);
    world_offering(w, .type = "one", .zone = "b", .capacity_type = "spot", .price = 0.3);
    world_offering(w, .type = "one", .zone = "b", .capacity_type = "on-demand", .price = 0.5);
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "one"));
    world_pods(w, .name = "group", .count = 3, .labels = "app: group", .requests = "cpu: 3",
               .spec = SELECT(CAPACITY_TYPE ": spot") ", " AFFINITY(NEAR(PODS(HOST, "app: group", ""))) ", " SPREAD(
                   SKEW(ZONE, 1, "app: group", "")));
    world_pods(w, .name = "web", .count = 2, .labels = "app: web", .requests = "cpu: 4",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", ", minDomains: 4")));

    world_plan(w);

    assert_pending_count(w, 0);
    assert_domains(w, ZONE, "app=group", "a=3");
    assert_domains(w, ZONE, "app=web", "a=1 b=1");
    assert_domains(w, CAPACITY_TYPE, "app=web", "on-demand=1 spot=1");
}

// An instance that is reserved is one more domain of a spread over capacity types, and has room for one pod.
TEST_F(World, w, a_reservation_that_keeps_pods_waiting_is_not_used) {
    world_type(w, .name = "one", .capacity = "cpu: 2, memory: 8Gi, pods: 20", .zones = "");
    world_offering(w, .type = "one", .zone = "a", .capacity_type = "spot", .price = 0.1);
    world_offering(w, .type = "one", .zone = "a", .capacity_type = "on-demand", .price = 0.2);
    world_offering(w, .type = "one", .zone = "a", .capacity_type = "reserved", .price = 0, .reservation = "cr-1",
                   .count = 1);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 8, .labels = "app: web", .requests = "cpu: 1.5",
               .spec = SPREAD(SKEW(CAPACITY_TYPE, 1, "app: web", "")));

    world_plan(w);

    assert_pending_count(w, 0);
    assert_domains(w, CAPACITY_TYPE, "app=web", "on-demand=4 spot=4");
}

// A zone that pods need for themselves is not left out.
TEST_F(World, w, pods_bound_to_another_zone_keep_theirs) {
    add_zones(w);
    world_pods(w, .name = "group", .count = 3, .labels = "app: group", .requests = "cpu: 3",
               .spec = AFFINITY(NEAR(PODS(HOST, "app: group", ""))) ", " SPREAD(SKEW(ZONE, 1, "app: group", "")));
    world_pods(w, .name = "left", .requests = "cpu: 1", .spec = SELECT(ZONE ": a"));
    world_pods(w, .name = "right", .requests = "cpu: 1", .spec = SELECT(ZONE ": b"));

    world_plan(w);

    assert_pending_count(w, 2);
}
