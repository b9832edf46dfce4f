// Instance types of claims, and packing. Rows of reference scheduling.md 12: IT choice, packing, overrides, extended
// resources.
#include "harness/test.h"
#include "sched/support/world_plan.h"

#include <stdio.h>

// --- IT choice

TEST_F(World, w, row_type_choice_by_arch_gives_different_claims) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "intel", .requests = "cpu: 500m", .spec = SELECT(ARCH ": amd64"));
    world_pods(w, .name = "graviton", .requests = "cpu: 500m", .spec = SELECT(ARCH ": arm64"));

    world_plan(w);

    assert_claims(w, 2);
    assert_types(w, 0, "arm");
    assert_types(w, 1, "small medium large huge");
}

TEST_F(World, w, row_type_choice_by_os_gives_different_claims) {
    world_type(w, .name = "both", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .systems = "linux windows",
               .price = 0.2);
    world_pool(w, .name = "default");
    world_pods(w, .name = "linux", .requests = "cpu: 500m", .spec = SELECT(OS ": linux"));
    world_pods(w, .name = "windows", .requests = "cpu: 500m", .spec = SELECT(OS ": windows"));

    world_plan(w);

    assert_claims(w, 2);
    assert_requirement(w, 0, OS, OS " In [linux]");
    assert_requirement(w, 1, OS, OS " In [windows]");
}

TEST_F(World, w, row_type_choice_by_instance_type_gives_different_claims) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "small", .requests = "cpu: 500m", .spec = SELECT(INSTANCE_TYPE ": small"));
    world_pods(w, .name = "large", .requests = "cpu: 500m", .spec = SELECT(INSTANCE_TYPE ": large"));

    world_plan(w);

    assert_claims(w, 2);
    assert_types(w, 0, "large");
    assert_types(w, 1, "small");
}

TEST_F(World, w, row_type_choice_by_zone_gives_different_claims) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "in-a", .requests = "cpu: 500m", .spec = SELECT(ZONE ": a"));
    world_pods(w, .name = "in-b", .requests = "cpu: 500m", .spec = SELECT(ZONE ": b"));

    world_plan(w);

    assert_claims(w, 2);
    assert_zones(w, "a=1 b=1");
}

TEST_F(World, w, row_type_choice_that_no_type_meets_stays_pending) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 500m", .spec = SELECT(ARCH ": arm64, " INSTANCE_TYPE ": small"));

    world_plan(w);

    assert_pending(w, "web");
}

TEST_F(World, w, row_type_choice_respects_the_pools_requirements) {
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "medium, huge"));
    world_pods(w, .name = "web", .requests = "cpu: 500m");

    world_plan(w);

    assert_types(w, 0, "medium huge");
}

TEST_F(World, w, row_type_choice_is_cheapest_first_and_spot_is_launched_before_on_demand) {
    world_pool(w, .name = "default", .requirements = IN(ARCH, "amd64"));
    world_pods(w, .name = "web", .requests = "cpu: 3");

    world_plan(w);

    assert_types(w, 0, "medium large huge");
    assert_choice(w, 0, "medium a spot");
    assert_requirement(w, 0, CAPACITY_TYPE, CAPACITY_TYPE " In [on-demand spot]");
}

static void add_gpu_types(World *w) {
    world_type(w, .name = "plain", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.1);
    world_type(w, .name = "gpu-a", .capacity = "cpu: 4, memory: 8Gi, pods: 10, vendor-a.com/gpu: 2", .price = 1);
    world_type(w, .name = "gpu-b", .capacity = "cpu: 4, memory: 8Gi, pods: 10, vendor-b.com/gpu: 2", .price = 1);
    world_pool(w, .name = "default");
}

TEST_F(World, w, row_type_choice_of_two_accelerators_gives_two_claims) {
    add_gpu_types(w);
    world_pods(w, .name = "needs-a", .requests = "cpu: 1, vendor-a.com/gpu: 1");
    world_pods(w, .name = "needs-b", .requests = "cpu: 1, vendor-b.com/gpu: 1");

    world_plan(w);

    assert_claims(w, 2);
    assert_types(w, 0, "gpu-a");
    assert_types(w, 1, "gpu-b");
}

TEST_F(World, w, row_type_choice_of_both_accelerators_in_one_pod_stays_pending) {
    add_gpu_types(w);
    world_pods(w, .name = "needs-both", .requests = "cpu: 1, vendor-a.com/gpu: 1, vendor-b.com/gpu: 1");

    world_plan(w);

    assert_pending(w, "needs-both");
}

TEST_F(World, w, row_type_choice_of_accelerators_counts_them) {
    add_gpu_types(w);
    world_pods(w, .name = "needs-a", .count = 3, .requests = "cpu: 1, vendor-a.com/gpu: 1");

    world_plan(w);

    assert_claims(w, 2);
    assert_per_node(w, "", "2 1");
}

TEST_F(World, w, row_type_choice_leaves_out_what_is_unavailable) {
    world_type(w, .name = "gone", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .zones = "", .price = 0.1);
    world_offering(w, .type = "gone", .zone = "a", .price = 0.1, .unavailable = true);
    world_type(w, .name = "there", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.2);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_types(w, 0, "there");
}

TEST_F(World, w, row_type_choice_needs_one_offering_with_zone_and_capacity_type) {
    world_type(w, .name = "split", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .zones = "");
    world_offering(w, .type = "split", .zone = "a", .capacity_type = "spot", .price = 0.1);
    world_offering(w, .type = "split", .zone = "b", .capacity_type = "on-demand", .price = 0.2);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT(ZONE ": a, " CAPACITY_TYPE ": on-demand"));

    world_plan(w);

    assert_pending(w, "web");
}

// --- packing

TEST_F(World, w, row_packing_small_pods_share_the_smallest_type_that_fits) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 4, .requests = "cpu: 500m");

    world_plan(w);

    assert_claims(w, 1);
    assert_choice(w, 0, "small a spot");
}

TEST_F(World, w, row_packing_one_more_pod_takes_the_next_larger_type) {
    world_pool(w, .name = "default", .requirements = IN(ARCH, "amd64"));
    world_pods(w, .name = "web", .count = 5, .requests = "cpu: 500m");

    world_plan(w);

    assert_claims(w, 1);
    assert_types(w, 0, "medium large huge");
}

TEST_F(World, w, row_packing_large_and_small_pods_share_a_node) {
    world_pool(w, .name = "default", .requirements = IN(ARCH, "amd64"));
    world_pods(w, .name = "small", .count = 2, .requests = "cpu: 1");
    world_pods(w, .name = "large", .count = 1, .requests = "cpu: 12");

    world_plan(w);

    assert_claims(w, 1);
    assert_choice(w, 0, "huge a spot");
}

TEST_F(World, w, row_packing_respects_pods_per_node) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 25, .requests = "cpu: 10m");

    world_plan(w);

    assert_per_node(w, "", "10 10 5");
}

TEST_F(World, w, row_packing_one_pod_type_takes_one_pod) {
    world_type(w, .name = "single", .capacity = "cpu: 4, memory: 8Gi, pods: 1", .price = 0.1);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 10m");

    world_plan(w);

    assert_per_node(w, "", "1 1 1");
}

TEST_F(World, w, row_packing_zero_requests_fit_anywhere) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1, foo.com/weird: 0");

    world_plan(w);

    assert_pending(w, "");
}

TEST_F(World, w, row_packing_unknown_resources_fit_nowhere) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1, foo.com/weird: 1");

    world_plan(w);

    assert_pending(w, "web");
}

TEST_F(World, w, row_packing_larger_than_every_type_stays_pending) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "cpu", .requests = "cpu: 17");
    world_pods(w, .name = "memory", .requests = "memory: 129Gi");
    world_pods(w, .name = "exactly", .requests = "cpu: 16");

    world_plan(w);

    assert_pending(w, "cpu memory");
}

TEST_F(World, w, row_packing_counts_runtime_class_overhead) {
    world_pool(w, .name = "default", .requirements = IN(ARCH, "amd64"));
    world_object(w, "apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: gvisor}, handler: h, "
                    "overhead: {podFixed: {cpu: 1}}");
    world_pods(w, .name = "web", .requests = "cpu: 1500m", .spec = "runtimeClassName: gvisor");

    world_plan(w);

    assert_types(w, 0, "medium large huge");
    assert_requests(w, 0, "{\"cpu\":\"2500m\",\"pods\":\"1\"}");
}

TEST_F(World, w, row_packing_counts_the_largest_init_container) {
    world_pool(w, .name = "default", .requirements = IN(ARCH, "amd64"));
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = "initContainers: [{name: i, image: i, resources: {requests: {cpu: 3}}}, "
                       "{name: j, image: i, resources: {requests: {cpu: 2}}}]");

    world_plan(w);

    assert_types(w, 0, "medium large huge");
    assert_requests(w, 0, "{\"cpu\":\"3\",\"pods\":\"1\"}");
}

TEST_F(World, w, row_packing_adds_sidecars_to_containers) {
    world_pool(w, .name = "default", .requirements = IN(ARCH, "amd64"));
    world_pods(w, .name = "web", .requests = "cpu: 1500m",
               .spec = "initContainers: [{name: s, image: i, restartPolicy: Always, resources: {requests: {cpu: 1}}}]");

    world_plan(w);

    assert_types(w, 0, "medium large huge");
    assert_requests(w, 0, "{\"cpu\":\"2500m\",\"pods\":\"1\"}");
}

TEST_F(World, w, row_packing_adds_earlier_sidecars_to_an_init_container) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "before", .requests = "cpu: 100m",
               .spec = "initContainers: [{name: s, image: i, restartPolicy: Always, resources: {requests: {cpu: 4}}}, "
                       "{name: i, image: i, resources: {requests: {cpu: 5}}}]");
    world_pods(w, .name = "behind", .requests = "cpu: 100m",
               .spec = "initContainers: [{name: i, image: i, resources: {requests: {cpu: 5}}}, "
                       "{name: s, image: i, restartPolicy: Always, resources: {requests: {cpu: 4}}}]");

    world_plan(w);

    // 4 + 5 where the sidecar starts first; else the larger of 5 and 4 + 0.1.
    assert_requests(w, 0, "{\"cpu\":\"14\",\"pods\":\"2\"}");
}

TEST_F(World, w, row_packing_counts_requests_of_the_pod_as_a_whole) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1, memory: 1Gi", .spec = "resources: {requests: {cpu: 3}}");

    world_plan(w);

    assert_requests(w, 0, "{\"cpu\":\"3\",\"memory\":\"1Gi\",\"pods\":\"1\"}");
}

TEST_F(World, w, row_packing_subtracts_the_overhead_of_the_type) {
    world_type(w, .name = "two", .capacity = "cpu: 2, memory: 4Gi, pods: 10", .overhead = "cpu: 100m", .price = 0.1);
    world_type(w, .name = "four", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .overhead = "cpu: 100m", .price = 0.2);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 2");

    world_plan(w);

    assert_types(w, 0, "four");
}

TEST_F(World, w, row_packing_subtracts_huge_pages_from_memory) {
    world_type(w, .name = "pages", .capacity = "cpu: 4, memory: 8Gi, hugepages-2Mi: 4Gi, pods: 10", .price = 0.1);
    world_pool(w, .name = "default");
    world_pods(w, .name = "fits", .requests = "cpu: 1, memory: 4Gi");
    world_pods(w, .name = "not", .requests = "cpu: 1, memory: 5Gi");

    world_plan(w);

    assert_pending(w, "not");
}

TEST_F(World, w, row_packing_opens_further_nodes_when_the_largest_is_full) {
    world_pool(w, .name = "default", .requirements = IN(ARCH, "amd64"));
    world_pods(w, .name = "web", .count = 5, .requests = "cpu: 8");

    world_plan(w);

    assert_per_node(w, "", "2 2 1");
    assert_choice(w, 2, "large a spot");
}

// --- overrides

static void add_override_types(World *w) {
    world_type(w, .name = "plain", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.1);
    world_type(w, .name = "special", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.5);
    world_offering(w, .type = "special", .zone = "b", .price = 0.7, .capacity = "example.com/block: 1");
    world_type(w, .name = "broken", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.2);
    world_offering(w, .type = "broken", .zone = "b", .price = 0.3, .capacity = "example.com/block: 1",
                   .unavailable = true);
    world_pool(w, .name = "default");
}

TEST_F(World, w, row_overrides_resource_selects_types_with_such_an_available_offering) {
    add_override_types(w);
    world_pods(w, .name = "web", .requests = "cpu: 1, example.com/block: 1");

    world_plan(w);

    assert_types(w, 0, "special");
    assert_choice(w, 0, "special b on-demand");
    // Only the offering with the override can be launched, and spot has no override.
    assert_requirement(w, 0, CAPACITY_TYPE, CAPACITY_TYPE " In [on-demand]");
}

TEST_F(World, w, row_overrides_resource_outside_the_offerings_zone_stays_pending) {
    add_override_types(w);
    world_pods(w, .name = "web", .requests = "cpu: 1, example.com/block: 1", .spec = SELECT(ZONE ": a"));

    world_plan(w);

    assert_pending(w, "web");
}

TEST_F(World, w, row_overrides_do_not_matter_to_pods_that_do_not_ask) {
    add_override_types(w);
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_types(w, 0, "plain broken special");
    assert_choice(w, 0, "plain a spot");
}

TEST_F(World, w, row_overrides_replace_the_overhead_too) {
    world_type(w, .name = "lean", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .overhead = "cpu: 1", .price = 0.1);
    world_offering(w, .type = "lean", .zone = "c", .price = 0.2, .overhead = "cpu: 0");
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 4");

    world_plan(w);

    assert_choice(w, 0, "lean c on-demand");
}

// Adds types; "odd" has less memory in zone b.
static void add_odd_types(World *w, double odd, double dear) {
    world_type(w, .name = "odd", .capacity = "cpu: 2, memory: 4Gi, pods: 10", .zones = "c",
               .capacity_types = "on-demand", .price = odd);
    world_offering(w, .type = "odd", .zone = "b", .price = odd, .capacity = "memory: 2Gi");
    world_type(w, .name = "large", .capacity = "cpu: 8, memory: 16Gi, pods: 10", .zones = "a",
               .capacity_types = "on-demand", .price = 0.2);
    world_type(w, .name = "dear", .capacity = "cpu: 8, memory: 16Gi, pods: 10", .zones = "c",
               .capacity_types = "on-demand", .price = dear);
    world_pool(w, .name = "default");
}

TEST_F(World, w, row_overrides_of_a_type_that_is_too_small_do_not_choose_the_zone) {
    add_odd_types(w, 0.05, 0.6);
    world_pods(w, .name = "web", .requests = "cpu: 6");

    world_plan(w);

    assert_choice(w, 0, "large a on-demand"); // not dear in the zone of the cheapest offering
    assert_types(w, 0, "large dear");
}

TEST_F(World, w, row_overrides_that_hold_the_load_leave_the_claim_open) {
    add_odd_types(w, 0.05, 0.6);
    world_pods(w, .name = "web", .requests = "cpu: 1, memory: 1Gi");

    world_plan(w);

    assert_types(w, 0, "odd large dear");
    assert_requirement(w, 0, ZONE, "");
}

TEST_F(World, w, row_overrides_that_are_too_small_tie_the_claim_to_a_zone) {
    add_odd_types(w, 0.05, 0.6);
    world_pods(w, .name = "web", .requests = "cpu: 1, memory: 3Gi");

    world_plan(w);

    assert_choice(w, 0, "odd c on-demand");
    assert_types(w, 0, "odd dear");
    assert_requirement(w, 0, ZONE, ZONE " In [c]");
}

TEST_F(World, w, row_overrides_that_are_too_small_cost_the_type_where_another_is_cheaper) {
    add_odd_types(w, 0.3, 0.6);
    world_pods(w, .name = "web", .requests = "cpu: 1, memory: 3Gi");

    world_plan(w);

    assert_choice(w, 0, "large a on-demand");
    assert_types(w, 0, "large dear"); // odd might be launched in b
    assert_requirement(w, 0, ZONE, "");
}

TEST_F(World, w, row_overrides_leave_enough_types_for_min_values) {
    add_odd_types(w, 0.05, 0.6);
    world_drop_pools(w);
    world_pool(w, .name = "default", .requirements = MIN_VALUES(INSTANCE_TYPE, "odd, large", "2"));
    world_pods(w, .name = "web", .requests = "cpu: 1, memory: 1Gi");
    world_pods(w, .name = "more", .requests = "cpu: 1, memory: 3Gi");

    world_plan(w);

    // In c there is no large, and in b the second pod has no place on odd.
    assert_pending(w, "more");
    assert_types(w, 0, "odd large");
}
