// The v1 examples of the seeds: NodePools Default, Wild and Farm together (reference legacy.md R174 to R178, scenario
// S12). The manifests themselves are planned in tests/unit/cli/test_plan_seeds.c.
#include "harness/test.h"
#include "sched/support/world_plan.h"

#include <stdio.h>

#define CPU "karpenter.k8s.aws/instance-cpu"

// Default has no taint, Wild is spot behind a taint and comes first, Farm is Graviton of 4 or 8 CPUs.
static void add_pools(World *w) {
    world_type(w, .name = "m5.large", .capacity = "cpu: 2, memory: 8Gi, pods: 29", .labels = IN(CPU, "\"2\""),
               .price = 0.096);
    world_type(w, .name = "m5.xlarge", .capacity = "cpu: 4, memory: 16Gi, pods: 58", .labels = IN(CPU, "\"4\""),
               .price = 0.192);
    world_type(w, .name = "m6g.large", .capacity = "cpu: 2, memory: 8Gi, pods: 29", .labels = IN(CPU, "\"2\""),
               .arch = "arm64", .price = 0.077);
    world_type(w, .name = "m6g.xlarge", .capacity = "cpu: 4, memory: 16Gi, pods: 58", .labels = IN(CPU, "\"4\""),
               .arch = "arm64", .price = 0.154);
    world_type(w, .name = "m6g.2xlarge", .capacity = "cpu: 8, memory: 32Gi, pods: 58", .labels = IN(CPU, "\"8\""),
               .arch = "arm64", .price = 0.308);
    world_pool(w, .name = "default", .requirements = IN(ARCH, "amd64"));
    world_pool(w, .name = "wild", .requirements = IN(CAPACITY_TYPE, "spot"), .spec = "weight: 10",
               .template = "taints: [{key: wild, value: \"true\", effect: NoSchedule}]");
    world_pool(w, .name = "farm", .requirements = IN(ARCH, "arm64") ", " IN(CPU, "\"4\", \"8\""));
}

// R174: the claim carries group, kind and name of its pool's class (as the pool's own template has them).
TEST_F(World, w, row_v1_claim_is_linked_to_the_class_of_its_pool) {
    add_pools(w);
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    const NodeClassRef *ref = &world_claim(w, 0)->pool->template_spec.node_class;
    const Symbols *symbols = &world_cluster(w)->symbols;
    assert_true(slice_eq_text(symbol_text(symbols, ref->group), "karpenter.kwok.sh"));
    assert_true(slice_eq_text(symbol_text(symbols, ref->kind), "KWOKNodeClass"));
    assert_true(slice_eq_text(symbol_text(symbols, ref->name), "default"));
    assert_requirement(w, 0, "karpenter.kwok.sh/kwoknodeclass", "karpenter.kwok.sh/kwoknodeclass In [default]");
    assert_label(w, 0, "karpenter.kwok.sh/kwoknodeclass", "default");
}

// R175: the pod that tolerates Wild's taint goes there, for its weight.
TEST_F(World, w, row_v1_pod_that_tolerates_wild_goes_to_wild) {
    add_pools(w);
    world_pods(w, .name = "batch", .requests = "cpu: 1",
               .spec = TOLERATE("{key: wild, operator: Equal, value: \"true\", effect: NoSchedule}"));

    world_plan(w);

    assert_pool(w, 0, "wild");
    assert_choice(w, 0, "m6g.large a spot");
    assert_requirement(w, 0, CAPACITY_TYPE, CAPACITY_TYPE " In [spot]");
}

// With equal weights the cheaper pool is taken: Graviton for four CPUs. Karpenter orders by name, descending: Farm too.
TEST_F(World, w, row_v1_plain_pod_goes_to_farm_before_default) {
    add_pools(w);
    world_pods(w, .name = "web", .requests = "cpu: 3");

    world_plan(w);

    assert_pool(w, 0, "farm");
    assert_types(w, 0, "m6g.xlarge m6g.2xlarge");
}

// Farm's smallest type costs more than Default's: Karpenter orders by name, tenon by price.
TEST_F(World, w, row_v1_small_plain_pod_goes_to_the_cheaper_default) {
    add_pools(w);
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pool(w, 0, "default");
    assert_choice(w, 0, "m5.large a spot");
}

TEST_F(World, w, row_v1_pod_that_pins_the_arch_goes_to_default) {
    add_pools(w);
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT(ARCH ": amd64"));

    world_plan(w);

    assert_pool(w, 0, "default");
    assert_types(w, 0, "m5.large m5.xlarge");
}

TEST_F(World, w, row_v1_tainted_farm_leaves_plain_pods_to_default) {
    add_pools(w);
    world_drop_pools(w);
    world_pool(w, .name = "default", .requirements = IN(ARCH, "amd64"));
    world_pool(w, .name = "farm", .requirements = IN(ARCH, "arm64"),
               .template = "taints: [{key: farm, effect: NoSchedule}]");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_pool(w, 0, "default");
}

TEST_F(World, w, row_v1_arm64_selector_goes_to_farm) {
    add_pools(w);
    world_pods(w, .name = "arm", .requests = "cpu: 1", .spec = SELECT(ARCH ": arm64"));

    world_plan(w);

    assert_pool(w, 0, "farm");
}

TEST_F(World, w, row_v1_three_pods_three_pools) {
    add_pools(w);
    world_pods(w, .name = "batch", .requests = "cpu: 1",
               .spec = TOLERATE("{key: wild, operator: Exists}") ", " SELECT("karpenter.sh/nodepool: wild"));
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT(ARCH ": amd64"));
    world_pods(w, .name = "arm", .requests = "cpu: 1", .spec = SELECT(ARCH ": arm64"));

    world_plan(w);

    assert_pending(w, "");
    assert_domains(w, "karpenter.sh/nodepool", "", "default=1 farm=1 wild=1");
}

// R176: architecture, CPU count, capacity type, zone and toleration are requirements and taints of the pool.
TEST_F(World, w, row_v1_properties_of_a_pool_are_requirements) {
    add_pools(w);
    world_drop_pools(w);
    world_pool(w, .name = "farm", .template = "taints: [{key: farm, effect: NoSchedule}]",
               .requirements = IN(ARCH, "arm64") ", " IN(CPU, "\"4\", \"8\"") ", " IN(CAPACITY_TYPE,
                                                                                      "on-demand") ", " IN(ZONE, "c"));
    world_pods(w, .name = "arm", .requests = "cpu: 1", .spec = TOLERATE("{key: farm, operator: Exists}"));
    world_pods(w, .name = "two", .requests = "cpu: 1",
               .spec = TOLERATE("{key: farm, operator: Exists}") ", " SELECT(CPU ": \"2\""));
    world_pods(w, .name = "plain", .requests = "cpu: 1");

    world_plan(w);

    assert_pending(w, "two plain");
    assert_types(w, 0, "m6g.xlarge m6g.2xlarge");
    assert_choice(w, 0, "m6g.xlarge c on-demand");
    assert_requirement(w, 0, CPU, CPU " In [4 8]");
    assert_requirement(w, 0, ZONE, ZONE " In [c]");
}

// R178: a claim is made from pending pods: requirements, requests and the reference of its pool.
TEST_F(World, w, row_v1_claim_is_made_from_pending_pods) {
    add_pools(w);
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 500m, memory: 1Gi", .spec = SELECT(ARCH ": amd64"));

    world_plan(w);

    assert_claims(w, 1);
    assert_pods_on(w, "default-1", "web-0 web-1 web-2");
    assert_requests(w, 0, "{\"cpu\":\"1500m\",\"memory\":\"3Gi\",\"pods\":\"3\"}");
    assert_requirement(w, 0, ARCH, ARCH " In [amd64]");
    assert_requirement(w, 0, INSTANCE_TYPE, INSTANCE_TYPE " In [m5.large m5.xlarge]");
    assert_requirement(w, 0, "karpenter.sh/nodepool", "karpenter.sh/nodepool In [default]");
}
