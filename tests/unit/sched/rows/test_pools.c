// NodePools. Rows of reference scheduling.md 12: limits, weights, minValues, reserved.
#include "harness/test.h"
#include "sched/support/world_plan.h"

#include <stdio.h>

#define WEB   "app: web"
#define ALONE AFFINITY(APART(PODS(HOST, WEB, "")))

// --- limits

TEST_F(World, w, row_limits_cpu_reached_leaves_the_pod_pending) {
    world_pool(w, .name = "default", .spec = "limits: {cpu: 4}");
    world_node(w, .name = "node-1", .allocatable = "cpu: 4, memory: 8Gi, pods: 1", .pool = "default");
    world_pods(w, .name = "there", .node = "node-1");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pending(w, "web");
}

TEST_F(World, w, row_limits_cpu_leave_out_types_that_are_too_large) {
    world_pool(w, .name = "default", .spec = "limits: {cpu: 5}");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_types(w, 0, "small medium");
}

TEST_F(World, w, row_limits_smaller_than_every_fitting_type_leave_the_pod_pending) {
    world_pool(w, .name = "default", .spec = "limits: {cpu: 5}");
    world_pods(w, .name = "web", .requests = "cpu: 4500m");

    world_plan(w);

    assert_pending(w, "web");
}

TEST_F(World, w, row_limits_of_an_accelerator) {
    world_type(w, .name = "gpu", .capacity = "cpu: 4, memory: 8Gi, pods: 10, vendor.com/gpu: 1", .price = 1);
    world_type(w, .name = "plain", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.1);
    world_pool(w, .name = "default", .spec = "limits: {vendor.com/gpu: 1}");
    world_pods(w, .name = "gpu", .count = 2, .requests = "cpu: 1, vendor.com/gpu: 1");
    world_pods(w, .name = "plain", .requests = "cpu: 1");

    world_plan(w);

    assert_pending(w, "gpu-1");
    assert_claims(w, 1);
}

// Q11: each claim counts as a node at once, so one solve does not exceed the limit.
TEST_F(World, w, row_limits_of_nodes_hold_within_one_solve) {
    world_pool(w, .name = "default", .spec = "limits: {nodes: 2}");
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 1", .spec = ALONE);

    world_plan(w);

    assert_claims(w, 2);
    assert_pending(w, "web-2 web-3");
}

TEST_F(World, w, row_limits_of_nodes_count_existing_ones) {
    world_pool(w, .name = "default", .spec = "limits: {nodes: 2}");
    world_node(w, .name = "node-1", .pool = "default", .allocatable = "cpu: 1, memory: 1Gi, pods: 1");
    world_node(w, .name = "other", .allocatable = "cpu: 1, memory: 1Gi, pods: 1");
    world_pods(w, .name = "there", .labels = WEB, .node = "node-1");
    world_pods(w, .name = "web", .count = 2, .labels = WEB, .requests = "cpu: 2", .spec = ALONE);

    world_plan(w);

    assert_claims(w, 1);
    assert_pending(w, "web-1");
}

// Each pod of 1.5 CPUs needs an instance of at least 2: two are more than the limit.
TEST_F(World, w, row_limits_of_three_cpus_and_two_anti_affine_pods_schedule_exactly_one) {
    world_pool(w, .name = "default", .spec = "limits: {cpu: 3}");
    world_pods(w, .name = "web", .count = 2, .labels = WEB, .requests = "cpu: 1500m", .spec = ALONE);

    world_plan(w);

    assert_claims(w, 1);
    assert_pending(w, "web-1");
}

// Karpenter charges the largest type that a claim may become, here 4 CPUs, and the second pod waits for the next loop.
// tenon removes the larger types from the first claim: both are placed, and the limit holds whatever is launched
// (scheduling.md 10 row 7).
TEST_F(World, w, row_limits_are_charged_for_what_may_be_launched) {
    world_pool(w, .name = "default", .spec = "limits: {cpu: 4}");
    world_pods(w, .name = "web", .count = 2, .labels = WEB, .requests = "cpu: 1500m", .spec = ALONE);

    world_plan(w);

    assert_pending(w, "");
    assert_types(w, 0, "small");
    assert_types(w, 1, "small");
}

// A claim whose minValues need two types keeps the two smallest.
TEST_F(World, w, row_limits_leave_enough_types_for_min_values) {
    world_pool(w, .name = "default", .requirements = MIN_VALUES(INSTANCE_TYPE, "small, medium, large", "2"),
               .spec = "limits: {cpu: 8}");
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1500m", .spec = ALONE);

    world_plan(w);

    assert_types(w, 0, "small medium");
    assert_types(w, 1, "small medium");
    assert_pending(w, "web-2");
}

TEST_F(World, w, row_limits_hold_whatever_is_launched) {
    world_pool(w, .name = "default", .spec = "limits: {cpu: 20}");
    world_pods(w, .name = "web", .count = 8, .labels = WEB, .requests = "cpu: 1500m", .spec = ALONE);
    int64_t most = 0;

    const Plan *plan = world_plan(w);

    for (vec_each(PlannedClaim, claim, &plan->claims)) {
        int64_t largest = 0;

        for (vec_each(const InstanceType *, type, &claim->types)) {
            if (resources_get(&(*type)->capacity, NAME_CPU) > largest)
                largest = resources_get(&(*type)->capacity, NAME_CPU);
        }
        most += largest;
    }
    assert_pending(w, "");
    assert_true(most <= 20000);
}

TEST_F(World, w, row_limits_are_freed_by_a_deletion) {
    world_pool(w, .name = "default", .spec = "limits: {cpu: 4}");
    world_node(w, .name = "node-1", .allocatable = "cpu: 4, memory: 8Gi, pods: 10", .pool = "default",
               .meta = "deletionTimestamp: \"2026-01-01T00:00:00Z\"");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pending(w, "");
    assert_claims(w, 1);
}

TEST_F(World, w, row_limits_fall_through_to_the_next_pool) {
    world_pool(w, .name = "first", .spec = "limits: {cpu: 2}, weight: 10");
    world_pool(w, .name = "second");
    world_pods(w, .name = "web", .count = 2, .labels = WEB, .requests = "cpu: 1500m", .spec = ALONE);

    world_plan(w);

    assert_pool(w, 0, "first");
    assert_pool(w, 1, "second");
}

TEST_F(World, w, row_limits_of_other_pools_do_not_count) {
    world_pool(w, .name = "default", .spec = "limits: {cpu: 4}");
    world_node(w, .name = "node-1", .allocatable = "cpu: 40, memory: 8Gi, pods: 1", .pool = "other");
    world_pods(w, .name = "there", .node = "node-1");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pending(w, "");
}

// --- weights

TEST_F(World, w, row_weights_highest_that_works_wins) {
    world_pool(w, .name = "none");
    world_pool(w, .name = "low", .spec = "weight: 20");
    world_pool(w, .name = "high", .spec = "weight: 100");
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1", .spec = ALONE);

    world_plan(w);

    assert_claims(w, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_pool(w, i, "high");
}

TEST_F(World, w, row_weights_dearer_types_do_not_change_the_order) {
    world_pool(w, .name = "cheap", .types = "small", .spec = "weight: 1");
    world_pool(w, .name = "dear", .types = "huge", .spec = "weight: 2");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pool(w, 0, "dear");
}

TEST_F(World, w, row_weights_lower_one_is_used_when_the_higher_cannot) {
    world_pool(w, .name = "low", .spec = "weight: 20");
    world_pool(w, .name = "high", .requirements = IN(ARCH, "arm64"), .spec = "weight: 100");
    world_pods(w, .name = "intel", .requests = "cpu: 1", .spec = SELECT(ARCH ": amd64"));

    world_plan(w);

    assert_pool(w, 0, "low");
}

TEST_F(World, w, row_weights_explicit_selection_overrides) {
    world_pool(w, .name = "target");
    world_pool(w, .name = "high", .spec = "weight: 100");
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT("karpenter.sh/nodepool: target"));
    world_pods(w, .name = "affinity", .requests = "cpu: 1",
               .spec = AFFINITY(NODE(TERM(IN("karpenter.sh/nodepool", "target")))));

    world_plan(w);

    assert_claims(w, 1);
    assert_pool(w, 0, "target");
}

TEST_F(World, w, row_weights_equal_ones_go_by_name_last_first) {
    world_pool(w, .name = "a");
    world_pool(w, .name = "c");
    world_pool(w, .name = "b");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pool(w, 0, "c");
}

// Under BestEffort minValues of the heavier pool are lowered before the lighter pool is tried.
TEST_F(World, w, row_weights_best_effort_relaxes_within_the_higher_pool) {
    world_pool(w, .name = "high", .requirements = MIN_VALUES(INSTANCE_TYPE, "small, huge", "2"), .spec = "weight: 100");
    world_pool(w, .name = "low");
    world_best_effort(w);
    world_pods(w, .name = "web", .requests = "cpu: 10");

    world_plan(w);

    assert_pool(w, 0, "high");
    assert_types(w, 0, "huge");
    assert_true(world_claim(w, 0)->min_values_relaxed);
}

TEST_F(World, w, row_weights_strict_falls_to_the_lower_pool) {
    world_pool(w, .name = "high", .requirements = MIN_VALUES(INSTANCE_TYPE, "small, huge", "2"), .spec = "weight: 100");
    world_pool(w, .name = "low");
    world_pods(w, .name = "web", .requests = "cpu: 10");

    world_plan(w);

    assert_pool(w, 0, "low");
    assert_false(world_claim(w, 0)->min_values_relaxed);
}

// --- minValues

TEST_F(World, w, row_min_values_open_a_second_claim_rather_than_shrink_below) {
    world_pool(w, .name = "default", .requirements = MIN_VALUES(INSTANCE_TYPE, "small, medium", "2"));
    world_pods(w, .name = "web", .count = 2, .requests = "cpu: 1500m");

    world_plan(w);

    assert_claims(w, 2); // together they would leave medium alone
    assert_types(w, 0, "small medium");
    assert_types(w, 1, "small medium");
    assert_requirement(w, 0, INSTANCE_TYPE, INSTANCE_TYPE " In [medium small] minValues 2");
}

TEST_F(World, w, row_min_values_strict_fails_when_impossible) {
    world_pool(w, .name = "default", .requirements = MIN_VALUES(INSTANCE_TYPE, "small, medium", "2"));
    world_pods(w, .name = "web", .requests = "cpu: 3");

    world_plan(w);

    assert_pending(w, "web");
}

TEST_F(World, w, row_min_values_that_the_pool_itself_cannot_meet) {
    world_pool(w, .name = "default", .requirements = MIN_VALUES(INSTANCE_TYPE, "small, medium, unknown", "3"));
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pending(w, "web");
    assert_message(w, "web", "nodepool requirements filtered out all available instance types");
}

static void add_generations(World *w) {
    world_type(w, .name = "g2", .capacity = "cpu: 2, memory: 4Gi, pods: 10", .labels = IN("gen", "\"2\""),
               .price = 0.1);
    world_type(w, .name = "g3", .capacity = "cpu: 4, memory: 4Gi, pods: 10", .labels = IN("gen", "\"3\""),
               .price = 0.2);
    world_type(w, .name = "g4", .capacity = "cpu: 8, memory: 4Gi, pods: 10", .labels = IN("gen", "\"4\""),
               .price = 0.3);
    world_type(w, .name = "g4b", .capacity = "cpu: 8, memory: 4Gi, pods: 10", .labels = IN("gen", "\"4\""),
               .price = 0.4);
}

TEST_F(World, w, row_min_values_with_gt) {
    add_generations(w);
    world_pool(w, .name = "default", .requirements = "{key: gen, operator: Gt, values: [\"2\"], minValues: 2}");
    world_pods(w, .name = "web", .count = 2, .requests = "cpu: 3");

    world_plan(w);

    assert_claims(w, 2); // 6 CPUs would leave generation 4 only
    assert_types(w, 0, "g3 g4 g4b");
}

TEST_F(World, w, row_min_values_with_lt) {
    add_generations(w);
    world_pool(w, .name = "default", .requirements = "{key: gen, operator: Lt, values: [\"4\"], minValues: 2}");
    world_pods(w, .name = "web", .count = 2, .requests = "cpu: 1500m");

    world_plan(w);

    assert_claims(w, 2);
    assert_types(w, 0, "g2 g3");
}

TEST_F(World, w, row_min_values_with_exists) {
    add_generations(w);
    world_pool(w, .name = "default", .requirements = "{key: gen, operator: Exists, minValues: 3}");
    world_pods(w, .name = "web", .requests = "cpu: 1");
    world_pods(w, .name = "large", .requests = "cpu: 3");

    world_plan(w);

    assert_pending(w, "large");
    assert_types(w, 0, "g2 g3 g4 g4b");
}

// Distinct values are counted, not types: g4 and g4b are one generation.
TEST_F(World, w, row_min_values_count_distinct_values) {
    add_generations(w);
    world_pool(w, .name = "default", .requirements = "{key: gen, operator: Exists, minValues: 2}");
    world_pods(w, .name = "web", .requests = "cpu: 5");

    world_plan(w);

    assert_pending(w, "web");
}

TEST_F(World, w, row_min_values_of_several_keys_all_hold) {
    add_generations(w);
    world_pool(w, .name = "default",
               .requirements = "{key: gen, operator: Exists, minValues: 2}, "
                               "{key: node.kubernetes.io/instance-type, operator: Exists, minValues: 3}");
    world_pods(w, .name = "web", .count = 2, .requests = "cpu: 3");

    world_plan(w);

    // One pod leaves g3, g4 and g4b; two would leave one generation.
    assert_claims(w, 2);
    assert_types(w, 0, "g3 g4 g4b");
}

TEST_F(World, w, row_min_values_of_one_of_several_keys_fails) {
    add_generations(w);
    world_pool(w, .name = "default",
               .requirements = "{key: gen, operator: Exists, minValues: 2}, "
                               "{key: node.kubernetes.io/instance-type, operator: Exists, minValues: 4}");
    world_pods(w, .name = "fits", .requests = "cpu: 1");
    world_pods(w, .name = "not", .requests = "cpu: 3");

    world_plan(w);

    assert_pending(w, "not");
}

TEST_F(World, w, row_min_values_best_effort_lowers_them) {
    world_pool(w, .name = "default", .requirements = MIN_VALUES(INSTANCE_TYPE, "small, medium", "2"));
    world_best_effort(w);
    world_pods(w, .name = "web", .requests = "cpu: 3");

    world_plan(w);

    assert_types(w, 0, "medium");
    assert_requirement(w, 0, INSTANCE_TYPE, INSTANCE_TYPE " In [medium] minValues 1");
    assert_true(world_claim(w, 0)->min_values_relaxed);
}

// Q9: each claim has its own annotation of whether its minValues were relaxed.
TEST_F(World, w, row_min_values_best_effort_marks_only_claims_that_are_relaxed) {
    world_pool(w, .name = "default", .requirements = MIN_VALUES(INSTANCE_TYPE, "small, medium", "2"));
    world_best_effort(w);
    world_pods(w, .name = "large", .labels = WEB, .requests = "cpu: 3", .spec = ALONE);
    world_pods(w, .name = "small", .labels = WEB, .requests = "cpu: 1", .spec = ALONE);

    world_plan(w);

    assert_true(world_claim(w, 0)->min_values_relaxed);
    assert_false(world_claim(w, 1)->min_values_relaxed);
    assert_requirement(w, 1, INSTANCE_TYPE, INSTANCE_TYPE " In [medium small] minValues 2");
}

TEST_F(World, w, row_min_values_strict_marks_no_claim) {
    world_pool(w, .name = "default", .requirements = MIN_VALUES(INSTANCE_TYPE, "small, medium", "2"));
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_false(world_claim(w, 0)->min_values_relaxed);
}

// A truncated list of types keeps enough values for minValues.
TEST_F(World, w, row_min_values_survive_the_cut_of_the_type_list) {
    add_generations(w);
    world_pool(w, .name = "default", .requirements = "{key: gen, operator: Exists, minValues: 2}");
    world_type_limit(w, 2);
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_types(w, 0, "g2 g3");
}

TEST_F(World, w, row_type_list_is_cut_to_the_cheapest) {
    world_pool(w, .name = "default");
    world_type_limit(w, 3);
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_types(w, 0, "small medium large");
}

// --- reserved

static void add_reserved_type(World *w, int count) {
    world_type(w, .name = "plain", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.01);
    world_type(w, .name = "booked", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.5);
    world_offering(w, .type = "booked", .zone = "a", .capacity_type = "reserved", .price = 0, .reservation = "cr-1",
                   .count = count);
}

TEST_F(World, w, row_reserved_is_taken_before_anything_else) {
    add_reserved_type(w, 1);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_types(w, 0, "booked");
    assert_choice(w, 0, "booked a reserved");
    assert_requirement(w, 0, CAPACITY_TYPE, CAPACITY_TYPE " In [reserved]");
    assert_requirement(w, 0, "karpenter.k8s.aws/capacity-reservation-id",
                       "karpenter.k8s.aws/capacity-reservation-id In [cr-1]");
}

TEST_F(World, w, row_reserved_pool_of_lower_weight_is_not_fallen_to_while_one_is_free) {
    add_reserved_type(w, 1);
    world_pool(w, .name = "low", .types = "plain");
    world_pool(w, .name = "high", .types = "booked", .spec = "weight: 10");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pool(w, 0, "high");
    assert_choice(w, 0, "booked a reserved");
}

// In Karpenter each claim holds an instance of every compatible reservation, so the second pod is deferred to the next
// loop. In tenon the first claim uses the one instance, and the second is on-demand at once.
TEST_F(World, w, row_reserved_used_up_the_next_claim_is_on_demand_at_once) {
    add_reserved_type(w, 1);
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "reserved, on-demand"));
    world_pods(w, .name = "web", .count = 2, .labels = WEB, .requests = "cpu: 1", .spec = ALONE);

    world_plan(w);

    assert_pending(w, "");
    assert_choice(w, 0, "booked a reserved");
    assert_choice(w, 1, "plain a on-demand");
    assert_requirement(w, 1, CAPACITY_TYPE, CAPACITY_TYPE " In [on-demand]");
}

TEST_F(World, w, row_reserved_is_never_over_subscribed) {
    add_reserved_type(w, 3);
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "reserved"));
    world_pods(w, .name = "web", .count = 5, .labels = WEB, .requests = "cpu: 1", .spec = ALONE);

    world_plan(w);

    assert_claims(w, 3);
    assert_pending(w, "web-3 web-4");
}

TEST_F(World, w, row_reserved_id_shared_by_pools_is_counted_once) {
    add_reserved_type(w, 1);
    world_pool(w, .name = "one", .types = "booked", .labels = "team: one",
               .requirements = IN(CAPACITY_TYPE, "reserved"));
    world_pool(w, .name = "two", .types = "booked", .labels = "team: two",
               .requirements = IN(CAPACITY_TYPE, "reserved"));
    world_pods(w, .name = "one", .requests = "cpu: 2", .spec = SELECT("team: one"));
    world_pods(w, .name = "two", .requests = "cpu: 1", .spec = SELECT("team: two"));

    world_plan(w);

    assert_claims(w, 1);
    assert_pending(w, "two");
}

TEST_F(World, w, row_reserved_distinct_ids_are_counted_separately) {
    add_reserved_type(w, 1);
    world_offering(w, .type = "booked", .zone = "b", .capacity_type = "reserved", .price = 0, .reservation = "cr-2",
                   .count = 2);
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "reserved"));
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 1", .spec = ALONE);

    world_plan(w);

    assert_domains(w, "karpenter.k8s.aws/capacity-reservation-id", "", "cr-1=1 cr-2=2");
    assert_pending(w, "web-3");
}

TEST_F(World, w, row_reserved_that_is_not_compatible_is_left_alone) {
    add_reserved_type(w, 1);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1", .spec = SELECT(ZONE ": b") ", " ALONE);
    world_pods(w, .name = "paid", .labels = WEB, .requests = "cpu: 1",
               .spec = SELECT(CAPACITY_TYPE ": on-demand") ", " ALONE);

    world_plan(w);

    assert_choice(w, 0, "plain a on-demand");
    assert_choice(w, 1, "plain b spot");
}

TEST_F(World, w, row_reserved_unavailable_is_not_used) {
    world_type(w, .name = "booked", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.5);
    world_offering(w, .type = "booked", .zone = "a", .capacity_type = "reserved", .price = 0, .reservation = "cr-1",
                   .count = 1, .unavailable = true);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_choice(w, 0, "booked a spot");
}

TEST_F(World, w, row_reserved_claim_takes_more_pods_of_its_kind) {
    add_reserved_type(w, 1);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 4, .requests = "cpu: 1");

    world_plan(w);

    assert_claims(w, 1);
    assert_choice(w, 0, "booked a reserved");
}

// The second pod cannot have the reservation. Karpenter defers it without relaxing; tenon places it now, and with the
// preference kept: an on-demand node in the preferred zone.
TEST_F(World, w, row_reserved_used_up_does_not_relax_preferences) {
    add_reserved_type(w, 1);
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "reserved, on-demand"));
    world_pods(w, .name = "web", .count = 2, .labels = WEB, .requests = "cpu: 1",
               .spec = AFFINITY(APART(PODS(HOST, WEB, "")) ", " PREFER_NODE(PREFER_TERM(1, IN(ZONE, "a")))));

    world_plan(w);

    assert_zones(w, "a=2");
}
