// Claim specs: sharing between claims, and truncated lists of types. Content in general: rows/test_claims.c.
#include "harness/test.h"
#include "sched/support/random_world.h"
#include "sched/support/trial.h"
#include "sched/support/world_parts.h"

#include <stdio.h>

AFTER_EACH(random_teardown);

// --- sharing

static bool share_everything(const PlannedClaim *a, const PlannedClaim *b) {
    return a->types.items == b->types.items && a->requirements.items == b->requirements.items &&
           a->labels.items == b->labels.items;
}

TEST_F(World, w, claims_that_are_alike_share_their_lists) {
    const Plan *plan;

    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 12, .requests = "cpu: 7");
    plan = world_plan(w);

    assert_true(plan->claims.count > 2);
    for (vec_each(const PlannedClaim, claim, &plan->claims)) {
        if (claim->pods.count == plan->claims.items[0].pods.count)
            assert_true(share_everything(claim, &plan->claims.items[0]));
    }
}

TEST_F(World, w, claims_of_other_labels_share_nothing) {
    const Plan *plan;

    world_pool(w, .name = "default");
    world_pods(w, .name = "a", .requests = "cpu: 7", .spec = SELECT(ZONE ": a"));
    world_pods(w, .name = "b", .requests = "cpu: 7", .spec = SELECT(ZONE ": b"));
    plan = world_plan(w);

    assert_int_equal(plan->claims.count, 2);
    assert_ptr_not_equal(plan->claims.items[0].requirements.items, plan->claims.items[1].requirements.items);
    assert_string_equal(world_place(w, "a"), "default-1");
    assert_requirement(w, 0, ZONE, ZONE " In [a]");
    assert_requirement(w, 1, ZONE, ZONE " In [b]");
}

TEST_F(World, w, claims_of_other_pools_share_nothing) {
    const Plan *plan;

    world_pool(w, .name = "red", .labels = "team: red");
    world_pool(w, .name = "blue", .labels = "team: blue");
    world_pods(w, .name = "r", .requests = "cpu: 7", .spec = SELECT("team: red"));
    world_pods(w, .name = "b", .requests = "cpu: 7", .spec = SELECT("team: blue"));
    plan = world_plan(w);

    assert_int_equal(plan->claims.count, 2);
    assert_ptr_not_equal(plan->claims.items[0].labels.items, plan->claims.items[1].labels.items);
    assert_ptr_not_equal(plan->claims.items[0].requirements.items, plan->claims.items[1].requirements.items);
}

TEST_F(World, w, claims_of_other_types_share_no_types) {
    const Plan *plan;

    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 13", .labels = "app: web",
               .spec = AFFINITY(APART(PODS(HOST, "app: api", ""))));
    world_pods(w, .name = "api", .requests = "cpu: 1", .labels = "app: api");
    plan = world_plan(w);

    assert_int_equal(plan->claims.count, 2);
    assert_ptr_not_equal(plan->claims.items[0].types.items, plan->claims.items[1].types.items);
}

// Each claim has its own requests, also when it shares a spec.
TEST_F(World, w, claims_that_share_still_say_what_they_carry) {
    const Plan *plan;

    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "huge"));
    world_pods(w, .name = "web", .labels = "app: web", .requests = "cpu: 13");
    world_pods(w, .name = "api", .labels = "app: web", .requests = "cpu: 12");
    plan = world_plan(w);

    assert_int_equal(plan->claims.count, 2);
    assert_true(share_everything(&plan->claims.items[0], &plan->claims.items[1]));
    assert_requests(w, 0, "{\"cpu\":\"13\",\"pods\":\"1\"}");
    assert_requests(w, 1, "{\"cpu\":\"12\",\"pods\":\"1\"}");
}

// Claims of one pool share a list of types if and only if they have equal types and labels.
static void sharing_and_likeness_are_the_same(World *world, Random *random) {
    const Plan *plan = world_plan(world);

    (void)random;
    for (vec_each(const PlannedClaim, a, &plan->claims)) {
        for (vec_each(const PlannedClaim, b, &plan->claims)) {
            Slice one = requirements_print(&world->arena, &world->input.cluster->symbols, &a->requirements);
            Slice other = requirements_print(&world->arena, &world->input.cluster->symbols, &b->requirements);
            bool alike = a->pool == b->pool && slice_eq(one, other); // with the names of the types

            if (a->types.items == b->types.items)
                assert_true(alike);
            if (share_everything(a, b))
                assert_ptr_equal(a->choice, b->choice);
        }
    }
}

TEST(only_claims_that_are_alike_share) {
    each_random_world(120, RANDOM_ALL, sharing_and_likeness_are_the_same);
}

// --- excluded values that nothing has

// No node or type has the label values "red" and "blue", so they are not atoms of the universe. The claim's
// requirements must exclude them nevertheless.
TEST_F(World, w, what_pods_exclude_is_excluded_by_their_claim) {
    const Plan *plan;

    world_pool(w, .name = "default", .requirements = EXISTS("team"));
    world_pods(w, .name = "a", .requests = "cpu: 13", .spec = AFFINITY(NODE(TERM(NOT_IN("team", "red")))));
    world_pods(w, .name = "b", .requests = "cpu: 13", .spec = AFFINITY(NODE(TERM(NOT_IN("team", "blue")))));
    world_pods(w, .name = "c", .requests = "cpu: 1", .spec = AFFINITY(NODE(TERM(NOT_IN("team", "green")))));
    plan = world_plan(w);

    assert_int_equal(plan->claims.count, 2);
    assert_string_equal(world_place(w, "a"), "default-1");
    assert_string_equal(world_place(w, "c"), "default-1");
    assert_requirement(w, 0, "team", "team NotIn [green red]");
    assert_requirement(w, 1, "team", "team NotIn [blue]");
}

TEST_F(World, w, excluded_values_of_a_key_without_a_label_are_not_written) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "a", .requests = "cpu: 1", .spec = AFFINITY(NODE(TERM(NOT_IN("team", "red")))));
    world_plan(w);

    assert_requirement(w, 0, "team", "");
}

// --- some of the types

TEST_F(World, w, the_cheapest_types_are_named) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1");
    world_type_limit(w, 2);
    world_plan(w);

    assert_types(w, 0, "small medium");
    assert_choice(w, 0, "small a spot");
    assert_requirement(w, 0, INSTANCE_TYPE, INSTANCE_TYPE " In [medium small]");
}

TEST_F(World, w, one_type_is_enough) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 5");
    world_type_limit(w, 1);
    world_plan(w);

    assert_types(w, 0, "large");
}

// Capacity types are those of the listed types.
TEST_F(World, w, capacity_types_are_those_of_the_named_types) {
    world_type(w, .name = "cheap", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .capacity_types = "on-demand",
               .price = 0.1);
    world_type(w, .name = "dear", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .capacity_types = "spot", .price = 0.5);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1");
    world_plan(w); // tied to the cheaper on-demand, though a launch prefers spot
    assert_requirement(w, 0, CAPACITY_TYPE, CAPACITY_TYPE " In [on-demand]");
    assert_choice(w, 0, "cheap a on-demand");

    world_type_limit(w, 1); // the lowest price of any capacity type, as Karpenter cuts the list
    world_plan(w);
    assert_types(w, 0, "cheap");
    assert_requirement(w, 0, CAPACITY_TYPE, CAPACITY_TYPE " In [on-demand]");
    assert_choice(w, 0, "cheap a on-demand");
}

// minValues requires two families, and the two cheapest types are of one.
TEST_F(World, w, min_values_bring_types_that_are_further_on) {
    world_type(w, .name = "a1", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.1, .labels = IN("family", "a"));
    world_type(w, .name = "a2", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.2, .labels = IN("family", "a"));
    world_type(w, .name = "b1", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.3, .labels = IN("family", "b"));
    world_pool(w, .name = "default", .requirements = MIN_VALUES("family", "a, b", "2"));
    world_pods(w, .name = "web", .requests = "cpu: 1");
    world_type_limit(w, 2);
    world_plan(w);

    assert_types(w, 0, "a1 b1"); // the cheapest stays, the second is replaced
}

static void every_listed_type_is_named_once(World *world, Random *random) {
    const Plan *plan;
    uint32_t most = 1 + random_below(random, 4);

    world_type_limit(world, most);
    plan = world_plan(world);
    for (vec_each(const PlannedClaim, claim, &plan->claims)) {
        const Requirement *names = requirements_get(&claim->requirements, NAME_INSTANCE_TYPE);
        bool has_choice = false;

        assert_true(claim->types.count >= 1 && claim->types.count <= most);
        assert_int_equal(names->values.count, claim->types.count);
        for (vec_each(const InstanceType *, type, &claim->types)) {
            assert_true(requirement_has(&world->input.cluster->symbols, names, (*type)->name));
            has_choice |= *type == claim->choice;
        }
        assert_true(has_choice);
    }
}

TEST(never_more_types_than_allowed_and_the_choice_is_one_of_them) {
    each_random_world(100, RANDOM_ALL, every_listed_type_is_named_once);
}
