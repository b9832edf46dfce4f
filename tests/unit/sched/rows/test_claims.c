// Content of planned NodeClaims. Rows of reference scheduling.md 12: NC content (6.1). Hash and YAML of NodeClaims:
// tests/unit/cli/test_plan_yaml.c.
#include "harness/test.h"
#include "sched/support/world_plan.h"

#include <stdio.h>

TEST_F(World, w, row_claim_content_requirements_are_the_pools_narrowed_by_pods) {
    world_pool(w, .name = "default",
               .requirements = IN(ZONE, "a, b") ", " IN(CAPACITY_TYPE, "spot, on-demand") ", " IN("team", "red, blue"));
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT("team: red, " ZONE ": b"));

    world_plan(w);

    assert_requirement(w, 0, ZONE, ZONE " In [b]");
    assert_requirement(w, 0, CAPACITY_TYPE, CAPACITY_TYPE " In [on-demand spot]");
    assert_requirement(w, 0, "team", "team In [red]");
    assert_requirement(w, 0, "karpenter.sh/nodepool", "karpenter.sh/nodepool In [default]");
    assert_requirement(w, 0, "karpenter.kwok.sh/kwoknodeclass", "karpenter.kwok.sh/kwoknodeclass In [default]");
    assert_requirement(w, 0, HOST, "");
    assert_requirement(w, 0, "karpenter.sh/registered", "");
    assert_requirement(w, 0, "karpenter.sh/initialized", "");
}

TEST_F(World, w, row_claim_content_names_the_types_that_may_be_launched) {
    world_pool(w, .name = "default", .requirements = IN(ARCH, "amd64"));
    world_pods(w, .name = "web", .requests = "cpu: 3");

    world_plan(w);

    assert_requirement(w, 0, INSTANCE_TYPE, INSTANCE_TYPE " In [huge large medium]");
}

TEST_F(World, w, row_claim_content_names_the_capacity_types_that_can_be_launched) {
    world_type(w, .name = "split", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .zones = "");
    world_offering(w, .type = "split", .zone = "a", .capacity_type = "spot", .price = 0.1);
    world_offering(w, .type = "split", .zone = "b", .capacity_type = "on-demand", .price = 0.2);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT(ZONE ": b"));

    world_plan(w);

    assert_requirement(w, 0, CAPACITY_TYPE, CAPACITY_TYPE " In [on-demand]");
}

TEST_F(World, w, row_claim_content_keeps_bounds_and_exclusions) {
    world_type(w, .name = "g4", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .labels = IN("gen", "\"4\""),
               .price = 0.1);
    world_type(w, .name = "g5", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .labels = IN("gen", "\"5\""),
               .price = 0.2);
    world_type(w, .name = "g6", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .labels = IN("gen", "\"6\""),
               .price = 0.3);
    world_pool(w, .name = "default", .requirements = GT("gen", "3") ", " NOT_IN("gen", "\"5\""));
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_types(w, 0, "g4 g6");
    assert_requirement(w, 0, "gen", "gen NotIn [5] >=4"); // Q3: both are kept
}

TEST_F(World, w, row_claim_content_labels) {
    world_pool(w, .name = "default", .labels = "tier: web", .requirements = IN("team", "red") ", " IN(ZONE, "a"));
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_label(w, 0, "tier", "web");
    assert_label(w, 0, "team", "red");
    assert_label(w, 0, "karpenter.sh/nodepool", "default");
    assert_label(w, 0, "karpenter.kwok.sh/kwoknodeclass", "default");
    assert_label(w, 0, ZONE, NULL); // well-known: decided by the instance
    assert_label(w, 0, INSTANCE_TYPE, NULL);
    assert_label(w, 0, "karpenter.sh/registered", NULL);
}

// Q17: a label for which the pool has Exists gets a value: in Karpenter a random number, in tenon the least that is
// allowed, so that equal input gives equal plans.
TEST_F(World, w, row_claim_content_labels_for_exists_and_gt) {
    world_pool(w, .name = "default",
               .requirements = EXISTS("shard") ", " GT("generation", "3") ", " NOT_IN("ring", "\"0\""));
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_label(w, 0, "shard", "0");
    assert_label(w, 0, "generation", "4");
}

TEST_F(World, w, row_claim_content_requests_are_the_pods_and_daemon_overhead_once) {
    world_pool(w, .name = "default");
    world_daemon(w, "agent", "cpu: 100m, memory: 64Mi", NULL);
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 500m, memory: 1Gi");
    world_pods(w, .name = "api", .requests = "cpu: 250m, ephemeral-storage: 0");

    world_plan(w);

    assert_claims(w, 1);
    assert_requests(w, 0, "{\"cpu\":\"1850m\",\"ephemeral-storage\":\"0\",\"memory\":\"3136Mi\",\"pods\":\"5\"}");
}

TEST_F(World, w, row_claim_content_at_most_600_types) {
    static char names[700][16];
    for (int i = 0; i < 700; i++) {
        snprintf(names[i], sizeof names[i], "type-%03d", i);
        world_type(w, .name = names[i], .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 1 + i);
    }
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    const Plan *plan = world_plan(w);

    assert_int_equal(plan->claims.items[0].types.count, 600);
    assert_choice(w, 0, "type-000 a spot");
}

TEST_F(World, w, row_claim_content_price_is_the_sum_of_the_choices) {
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"));
    world_pods(w, .name = "a", .requests = "cpu: 1", .spec = SELECT(ZONE ": a"));
    world_pods(w, .name = "b", .requests = "cpu: 3", .spec = SELECT(ZONE ": b"));

    const Plan *plan = world_plan(w);

    assert_true(plan->price_per_hour > 0.2999 && plan->price_per_hour < 0.3001);
}

// Equal input gives equal plans, whatever the addresses in memory.
TEST_F(World, w, row_claim_content_is_the_same_for_equal_input) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 9, .labels = "app: web", .requests = "cpu: 900m",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", "")));
    world_pods(w, .name = "api", .count = 5, .labels = "app: api", .requests = "cpu: 1300m",
               .spec = AFFINITY(APART(PODS(HOST, "app: api", ""))));

    for (int i = 0; i < 3; i++) {
        world_plan(w);
        assert_string_equal(world_place(w, "web-0"), "default-1");
        assert_per_node(w, "app=api", "1 1 1 1 1");
        assert_domains(w, ZONE, "app=web", "a=3 b=3 c=3");
    }
}
