// How many label values a claim lists when its pods together exclude more than the API server would take.
#include "harness/test.h"

#include "base/buffer.h"
#include "sched/claim_values.h"
#include "sched/support/texts.h"
#include "sched/support/world_plan.h"

enum { EACH = 2000 }; // values that a pod excludes, of 2,048 that are read of one

// "{key: team, operator: NotIn, values: [a-0, a-1, …]}", with EACH values.
static const char *expression(const char *key, const char *op, const char *prefix) {
    Buffer text = {0};
    const char *copy;

    buffer_printf(&text, "{key: %s, operator: %s, values: [", key, op);
    for (uint32_t i = 0; i < EACH; i++)
        buffer_printf(&text, "%s%s-%u", i ? ", " : "", prefix, i);
    buffer_printf(&text, "]}");
    copy = TEXT("%.*s", SLICE_ARG(buffer_slice(&text)));
    buffer_free(&text);
    return copy;
}

// A pod for each of the letters, which excludes values of its own that begin with it.
static void pods_excluding(World *world, const char *key, const char *letters) {
    for (const char *letter = letters; *letter; letter++) {
        const char *name = TEXT("%c", *letter);

        world_pods(world, .name = name, .requests = "cpu: 100m",
                   .spec = TEXT(AFFINITY(NODE("{matchExpressions: [%s]}")), expression(key, "NotIn", name)));
    }
}

static const Requirement *requirement_on(World *world, uint32_t claim, const char *key) {
    return requirements_get(&world_claim(world, claim)->requirements,
                            symbol_intern(&world_cluster(world)->symbols, slice_of(key)));
}

static uint32_t values_of(World *world, uint32_t claim) {
    const Requirements *requirements = &world_claim(world, claim)->requirements;
    uint32_t count = 0;

    for (uint32_t i = 0; i < requirements->count; i++)
        count += requirements->items[i].values.count;
    return count;
}

TEST_F(World, w, what_few_pods_exclude_is_listed) {
    world_pool(w, .name = "default", .requirements = EXISTS("team"));
    pods_excluding(w, "team", "ab");
    world_plan(w);

    assert_claims(w, 1);
    assert_true(requirement_on(w, 0, "team")->complement);
    assert_int_equal(requirement_on(w, 0, "team")->values.count, 2 * EACH);
}

// Values that several pods exclude count once.
TEST_F(World, w, what_pods_exclude_together_is_listed_once) {
    const char *own = expression("team", "NotIn", "a");

    world_pool(w, .name = "default", .requirements = EXISTS("team"));
    for (uint32_t i = 0; i < 4; i++)
        world_pods(w, .name = TEXT("p%u", i), .requests = TEXT("cpu: %um", 100 + i),
                   .spec = TEXT(AFFINITY(NODE("{matchExpressions: [%s]}")), own));
    world_plan(w);

    assert_claims(w, 1);
    assert_int_equal(requirement_on(w, 0, "team")->values.count, EACH);
}

// The label's value was chosen so that no pod excludes it.
TEST_F(World, w, many_excluded_values_become_the_one_that_the_label_has) {
    world_pool(w, .name = "default", .requirements = EXISTS("team"));
    pods_excluding(w, "team", "abc");
    world_plan(w);

    assert_claims(w, 1);
    assert_requirement(w, 0, "team", "team In [0]");
    assert_label(w, 0, "team", "0");
}

// The same where the values are there, since other pods ask for them.
TEST_F(World, w, many_excluded_values_that_others_ask_for_do_too) {
    world_pool(w, .name = "default", .requirements = EXISTS("team"));
    pods_excluding(w, "team", "abc");
    for (const char *letter = "abc"; *letter; letter++)
        world_pods(w, .name = TEXT("of-%c", *letter), .requests = "cpu: 15950m",
                   .spec =
                       TEXT(AFFINITY(NODE("{matchExpressions: [%s]}")), expression("team", "In", TEXT("%c", *letter))));
    world_plan(w);

    assert_claims(w, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(values_of(w, i), 1, CLAIM_VALUES_MAX);
    assert_string_equal(world_place(w, "a"), world_place(w, "b"));
    assert_string_equal(world_place(w, "a"), world_place(w, "c"));
}

TEST_F(World, w, many_excluded_values_of_a_types_label_become_those_of_the_types) {
    world_pool(w, .name = "default", .requirements = EXISTS(ZONE) ", " NOT_IN(INSTANCE_TYPE, "huge"));
    pods_excluding(w, ZONE, "abc");
    world_pods(w, .name = "not-b", .requests = "cpu: 100m", .spec = AFFINITY(NODE(TERM(NOT_IN(ZONE, "b")))));
    world_plan(w);

    assert_claims(w, 1);
    assert_requirement(w, 0, ZONE, ZONE " In [a c]");
    assert_types(w, 0, "small medium large arm");
}

// A pool that allows the label to be absent gives claims none.
TEST_F(World, w, many_excluded_values_of_a_label_that_is_not_given_become_none) {
    world_pool(w, .name = "default", .requirements = NOT_IN("team", "x"));
    pods_excluding(w, "team", "abc");
    world_plan(w);

    assert_claims(w, 1);
    assert_label(w, 0, "team", NULL);
    assert_requirement(w, 0, "team", "team DoesNotExist");
}

// Each list is within the bound, and all of them are not.
TEST_F(World, w, lists_of_several_labels_count_together) {
    world_pool(w, .name = "default", .requirements = EXISTS("team") ", " EXISTS("tier") ", " NOT_IN("rack", "r1, r2"));
    pods_excluding(w, "team", "ab");
    pods_excluding(w, "tier", "cd");
    world_plan(w);

    assert_claims(w, 1);
    assert_requirement(w, 0, "team", "team In [0]");
    assert_requirement(w, 0, "tier", "tier In [0]");
    assert_requirement(w, 0, "rack", "rack NotIn [r1 r2]");
}
