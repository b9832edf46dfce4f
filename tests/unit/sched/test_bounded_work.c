// Bounds of the work that pods with very large specs can cause: numbers of variants, label sets and states, and memory.
// Each of these once grew with the square of the spec's size, or faster.
#include "harness/test.h"

#include <stdio.h>

#include "sched/support/texts.h"
#include "sched/support/trial.h"

// "before0after, before1after, …"
static const char *repeated(uint32_t count, const char *before, const char *after) {
    size_t room = count * (strlen(before) + strlen(after) + 16) + 1, at = 0;
    char *text = arena_alloc(&texts, room);

    for (uint32_t i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, room - at, "%s%s%u%s", i ? ", " : "", before, i, after);
    return text;
}

#define AWAY_FROM(kind, terms)                                                                                         \
    "affinity: {podAntiAffinity: {" kind "DuringSchedulingIgnoredDuringExecution: [%s]}}", terms

// --- costs

typedef struct {
    uint32_t variants, states, sets, atoms, dimensions;
    size_t bytes;
} Cost;

// The cost of planning a world with `count` of something and one ordinary pod.
static Cost cost_with(void (*fill)(World *world, uint32_t count), uint32_t count) {
    World *world = world_setup();
    Cost cost = {0};
    Trial *trial;

    world_pool(world, .name = "default");
    fill(world, count);
    world_pods(world, .name = "other", .requests = "cpu: 1", .ns = "tenant");
    trial = trial_begin(world);
    trial_place(trial, STRATEGY_MARGINAL_PRICE);
    for (vec_each(const PodClass, class, &trial->solver.classes.classes))
        cost.variants += class->variants.count;
    for (vec_each(const LabelKey, key, &trial->solver.universe.keys))
        cost.atoms += key->atoms;
    cost.dimensions = trial->solver.classes.dimensions.count;
    cost.states = trial->solver.states.states.count;
    cost.sets = trial->solver.universe.sets.count;
    cost.bytes = arena_used(&trial->arena);
    trial_end(trial);
    world_teardown(world);
    return cost;
}

// --- one pod that is too large

static const char *spreads(uint32_t count, const char *when) {
    const char *after = TEXT(", maxSkew: 1, whenUnsatisfiable: %s, labelSelector: {matchLabels: {app: web}}}", when);

    return TEXT("topologySpreadConstraints: [%s]", repeated(count, "{topologyKey: x.io/k", after));
}

TEST_F(World, w, spreads_that_are_preferences_are_dropped_beyond_the_bound) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "big", .requests = "cpu: 1", .spec = spreads(1000, "ScheduleAnyway"));

    world_plan(w);

    assert_pending(w, "");
    assert_int_equal(world_input(w)->pending.items[0].pod->spec->dropped_preferences, 968);
}

TEST_F(World, w, pod_with_more_rules_than_are_read_is_set_aside_and_others_are_planned) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "big", .requests = "cpu: 1", .spec = spreads(33, "DoNotSchedule"));
    world_pods(w, .name = "other", .requests = "cpu: 1", .ns = "tenant");

    world_plan(w);

    assert_pending(w, "big");
    assert_message(w, "big",
                   "ignoring pod, the pod has 33 topology spread constraints with DoNotSchedule, more than the 32 that "
                   "are planned for: give it fewer, or a node by hand");
    assert_claims(w, 1);
}

static const char *terms(uint32_t count) {
    return repeated(count, "{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: a", "}}}");
}

TEST_F(World, w, pod_with_thousands_of_required_terms_is_set_aside) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "big", .requests = "cpu: 1", .spec = TEXT(AWAY_FROM("required", terms(6000))));

    world_plan(w);

    assert_pending(w, "big");
}

static void two_nodes(World *world, uint32_t count) {
    world_pool(world, .name = "default");
    world_node(world, .name = "node-1");
    world_node(world, .name = "node-2");
    world_pods(world, .name = "running", .requests = "cpu: 1", .node = "node-1",
               .spec = TEXT(AWAY_FROM("required", terms(count))));
    world_pods(world, .name = "small", .requests = "cpu: 1");
    world_plan(world);
}

TEST_F(World, w, node_of_a_pod_with_as_many_terms_as_are_read_takes_others) {
    two_nodes(w, 64);

    assert_string_equal(world_place(w, "small"), "node-1");
}

// The terms that are not read may exclude any pod.
TEST_F(World, w, node_of_a_pod_with_more_terms_than_are_read_takes_no_pod_that_they_may_exclude) {
    two_nodes(w, 65);

    assert_string_equal(world_place(w, "small"), "node-2");
}

// --- preferences

static void fill_preferred(World *world, uint32_t count) {
    const char *preferred = repeated(
        count,
        "{weight: 1, podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: a",
        "}}}}");

    world_pods(world, .name = "big", .requests = "cpu: 1", .spec = TEXT(AWAY_FROM("preferred", preferred)));
}

TEST(preferences_beyond_the_bound_cost_nothing) {
    Cost few = cost_with(fill_preferred, 32), many = cost_with(fill_preferred, 5000);

    assert_int_equal(many.variants, few.variants);
    assert_true(many.bytes < 2 * few.bytes);
}

// A pod that is placed with all preferences needs no rules of its other variants.
TEST(rules_of_variants_are_found_when_they_are_asked_for) {
    World *world = world_setup();
    uint32_t found = 0;
    Trial *trial;

    world_pool(world, .name = "default");
    fill_preferred(world, 32);
    trial = trial_begin(world);
    trial_place(trial, STRATEGY_MARGINAL_PRICE);
    assert_int_equal(trial->solver.classes.classes.items[0].variants.count, 33);
    for (vec_each(const Variant, variant, &trial->solver.classes.classes.items[0].variants))
        found += variant->has_rules;
    assert_int_equal(found, 1);
    trial_end(trial);
    world_teardown(world);
}

// --- OR terms

// Pods with two terms each, of which one excludes a value of its own.
static void fill_terms(World *world, uint32_t count, const char *key) {
    for (uint32_t i = 0; i < count; i++) {
        const char *own = TEXT("{matchExpressions: [{key: %s, operator: NotIn, values: [t%u]}]}", key, i);
        const char *other = "{matchExpressions: [{key: x.io/a, operator: DoesNotExist}]}";

        world_pods(world, .name = TEXT("p%u", i), .requests = "cpu: 1",
                   .spec = TEXT("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                                "{nodeSelectorTerms: [%s, %s]}}}",
                                own, other));
    }
}

static void fill_type_terms(World *world, uint32_t count) {
    fill_terms(world, count, INSTANCE_TYPE);
}

static void fill_zone_terms(World *world, uint32_t count) {
    fill_terms(world, count, ZONE);
}

TEST(values_that_pods_only_exclude_do_not_tell_claims_apart) {
    void (*const fills[])(World *, uint32_t) = {fill_type_terms, fill_zone_terms};

    for (int i = 0; i < 2; i++) {
        Cost few = cost_with(fills[i], 10), many = cost_with(fills[i], 100);

        assert_int_equal(many.states, few.states);
        assert_int_equal(many.sets, few.sets);
        assert_int_equal(many.atoms, few.atoms);
    }
}

TEST_F(World, w, type_that_is_excluded_and_there_is_not_taken) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "big", .requests = "cpu: 1",
               .spec = AFFINITY(NODE(TERM(NOT_IN(INSTANCE_TYPE, "small, none-such")))));

    world_plan(w);

    assert_choice(w, 0, "medium a spot");
}

// The pool lets claims choose the label's value, and a pod excludes the one that would be chosen first.
TEST_F(World, w, label_that_a_claim_chooses_is_none_that_a_pod_excludes) {
    world_pool(w, .name = "default", .requirements = EXISTS("x.io/team"));
    world_pods(w, .name = "big", .requests = "cpu: 1", .spec = AFFINITY(NODE(TERM(NOT_IN("x.io/team", "'0', '1'")))));
    world_pods(w, .name = "other", .requests = "cpu: 1");

    world_plan(w);

    assert_claims(w, 1);
    assert_label(w, 0, "x.io/team", "2");
}

// --- ports and resources

static void fill_ports(World *world, uint32_t count) {
    static const char *const names[] = {"a", "b"};

    for (int i = 0; i < 2; i++) {
        const char *ports = repeated(count, TEXT("{containerPort: 1, hostPort: %d", i + 1), "}");

        world_pods(world, .name = names[i], .requests = "cpu: 1",
                   .spec = TEXT("initContainers: [{name: s, restartPolicy: Always, ports: [%s]}]", ports));
    }
}

TEST(twice_as_many_host_ports_cost_at_most_twice) {
    Cost none = cost_with(fill_ports, 1), some = cost_with(fill_ports, 400), twice = cost_with(fill_ports, 800);

    assert_true(twice.bytes - none.bytes < 3 * (some.bytes - none.bytes));
}

static void fill_resources(World *world, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        world_pods(world, .name = TEXT("p%u", i), .requests = TEXT("cpu: 1, x.io/r%u: %u", i, i + 1));
}

TEST(resources_that_nothing_has_share_a_dimension) {
    assert_int_equal(cost_with(fill_resources, 20).dimensions, cost_with(fill_resources, 1).dimensions);
}

TEST_F(World, w, pod_is_told_which_resource_nothing_has) {
    world_pool(w, .name = "default");
    fill_resources(w, 3);

    world_plan(w);

    assert_pending(w, "p0 p1 p2");
    assert_reason(w, "p2", 0, CHECK_TYPES, "the pod wants 3 x.io/r2, the largest type has 0 free after daemons");
}
