// Bounds of one pod: what is over one is set aside or dropped, what is at one is not.
#include "harness/test.h"
#include "model/pod_bounds.h"

#include "model/names.h"

#include <stdlib.h>

typedef struct {
    Arena arena;
    PodSpec spec;
} Bounded;

static Bounded *setup(void) {
    return calloc(1, sizeof(Bounded));
}

static void teardown(Bounded *t) {
    arena_free(&t->arena);
    free(t);
}

FIXTURE(Bounded, setup, teardown);

// Whether the spec is over exactly that bound, with that many.
#define assert_over(t, bound, count) assert_over_((t), (bound), (count), __FILE__, __LINE__)
static void assert_over_(Bounded *t, PodBound bound, uint64_t count, const char *file, int line) {
    uint64_t found = 0;

    _assert_int_equal(pod_bound_exceeded(&t->spec, &found), bound, file, line);
    _assert_int_equal(found, count, file, line);
}

static void assert_within(Bounded *t) {
    assert_over(t, POD_BOUND_COUNT, 0);
}

static ExpressionVec expressions(Arena *arena, uint32_t count, uint32_t values) {
    ExpressionVec list = {0};

    for (uint32_t i = 0; i < count; i++) {
        Expression *expression = vec_add(arena, &list);

        for (uint32_t j = 0; j < values; j++)
            vec_push(arena, &expression->values, 1000 + j);
    }
    return list;
}

static const LabelSelector *selector(Arena *arena, uint32_t words) {
    LabelSelector *made = arena_new(arena, LabelSelector);

    made->expressions = expressions(arena, words, 0);
    return made;
}

TEST_F(Bounded, t, plain_pod_is_within_all_bounds) {
    assert_within(t);
}

TEST_F(Bounded, t, as_many_as_the_bound_are_within_it) {
    for (int i = 0; i < 1024; i++)
        vec_push(&t->arena, &t->spec.host_ports, (HostPort){.port = (uint16_t)i});
    assert_within(t);
    vec_push(&t->arena, &t->spec.host_ports, (HostPort){.port = 9});
    assert_over(t, POD_BOUND_HOST_PORTS, 1025);
}

TEST_F(Bounded, t, lists_are_counted_each_by_itself) {
    static const struct {
        size_t count_at;
        uint32_t most;
        PodBound bound;
    } lists[] = {
        {offsetof(PodSpec, requests.count), 64, POD_BOUND_RESOURCES},
        {offsetof(PodSpec, node_selector.count), 100, POD_BOUND_NODE_SELECTOR},
        {offsetof(PodSpec, tolerations.count), 256, POD_BOUND_TOLERATIONS},
        {offsetof(PodSpec, host_ports.count), 1024, POD_BOUND_HOST_PORTS},
        {offsetof(PodSpec, volumes.count), 256, POD_BOUND_VOLUMES},
    };

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        uint32_t *count = (uint32_t *)((char *)&t->spec + lists[i].count_at);

        *count = lists[i].most;
        assert_within(t);
        *count = lists[i].most + 1;
        assert_over(t, lists[i].bound, lists[i].most + 1);
        *count = 0;
    }
}

TEST_F(Bounded, t, expressions_and_values_of_node_affinity_count_over_all_terms) {
    for (int i = 0; i < 64; i++)
        vec_push(&t->arena, &t->spec.required_node_terms, (NodeTerm){.expressions = expressions(&t->arena, 8, 4)});
    assert_within(t);
    t->spec.required_node_terms.items[63].expressions = expressions(&t->arena, 9, 0);
    assert_over(t, POD_BOUND_NODE_EXPRESSIONS, 513);
    t->spec.required_node_terms.items[63].expressions = expressions(&t->arena, 1, 500);
    assert_over(t, POD_BOUND_NODE_VALUES, 63 * 32 + 500);
    vec_push(&t->arena, &t->spec.required_node_terms, (NodeTerm){0});
    assert_over(t, POD_BOUND_NODE_TERMS, 65);
}

TEST_F(Bounded, t, words_of_required_rules_about_pods_count_together) {
    PodAffinityTerm term = {.selector = selector(&t->arena, 700), .namespace_selector = selector(&t->arena, 300)};
    TopologySpread spread = {.selector = selector(&t->arena, 48)};

    vec_push(&t->arena, &t->spec.affinity.required, term);
    vec_push(&t->arena, &t->spec.anti_affinity.required, term);
    vec_push(&t->arena, &t->spec.spreads, spread);
    assert_within(t);
    vec_push(&t->arena, &t->spec.anti_affinity.required.items[0].namespaces, NAME_ZONE);
    assert_over(t, POD_BOUND_SELECTORS, 2049);
}

TEST_F(Bounded, t, spreads_that_are_preferences_do_not_set_a_pod_aside) {
    for (int i = 0; i < 32; i++)
        vec_push(&t->arena, &t->spec.spreads, (TopologySpread){.max_skew = i});
    for (int i = 0; i < 100; i++)
        vec_push(&t->arena, &t->spec.spreads, (TopologySpread){.schedule_anyway = true});
    assert_within(t);
    vec_push(&t->arena, &t->spec.spreads, (TopologySpread){0});
    assert_over(t, POD_BOUND_SPREADS, 33);
}

TEST_F(Bounded, t, text_says_what_there_is_too_much_of) {
    assert_string_equal(arena_text(&t->arena, pod_bound_text(&t->arena, POD_BOUND_HOST_PORTS, 20000)),
                        "the pod has 20000 host ports, more than the 1024 that are planned for: give it fewer, or a "
                        "node by hand");
}

// --- preferences

TEST_F(Bounded, t, heaviest_preferences_stay_in_their_order) {
    for (int32_t i = 0; i < 100; i++) {
        int32_t weight = 1 + i * 37 % 100; // each once

        vec_push(&t->arena, &t->spec.anti_affinity.preferred,
                 (PodAffinityTerm){.weight = weight, .topology_key = (Symbol)i});
    }
    pod_preferences_bound(&t->spec);

    assert_int_equal(t->spec.anti_affinity.preferred.count, POD_PREFERENCES_MAX);
    assert_int_equal(t->spec.dropped_preferences, 100 - POD_PREFERENCES_MAX);
    for (uint32_t i = 0; i < POD_PREFERENCES_MAX; i++) {
        const PodAffinityTerm *term = &t->spec.anti_affinity.preferred.items[i];

        assert_true(term->weight > 100 - POD_PREFERENCES_MAX);
        assert_true(i == 0 || term[-1].topology_key < term->topology_key);
    }
}

TEST_F(Bounded, t, of_equal_weights_the_later_are_dropped) {
    for (uint32_t i = 0; i < 40; i++)
        vec_push(&t->arena, &t->spec.affinity.preferred, (PodAffinityTerm){.weight = 5, .topology_key = i});
    pod_preferences_bound(&t->spec);

    assert_int_equal(t->spec.affinity.preferred.count, POD_PREFERENCES_MAX);
    assert_int_equal(vec_last(&t->spec.affinity.preferred)->topology_key, POD_PREFERENCES_MAX - 1);
}

TEST_F(Bounded, t, preference_with_too_many_words_is_dropped_and_lighter_ones_stay) {
    NodeTerm wordy = {.weight = 100, .expressions = expressions(&t->arena, 1, POD_PREFERENCE_WORDS_MAX)};
    NodeTerm plain = {.weight = 1, .expressions = expressions(&t->arena, 1, 1)};

    vec_push(&t->arena, &t->spec.preferred_node_terms, wordy);
    vec_push(&t->arena, &t->spec.preferred_node_terms, plain);
    pod_preferences_bound(&t->spec);

    assert_int_equal(t->spec.preferred_node_terms.count, 1);
    assert_int_equal(t->spec.preferred_node_terms.items[0].weight, 1);
    assert_int_equal(t->spec.dropped_preferences, 1);
}

TEST_F(Bounded, t, spreads_that_must_hold_are_never_dropped) {
    for (int i = 0; i < 200; i++)
        vec_push(&t->arena, &t->spec.spreads, (TopologySpread){.schedule_anyway = i % 2});
    pod_preferences_bound(&t->spec);

    assert_int_equal(t->spec.spreads.count, 100 + POD_PREFERENCES_MAX);
    assert_int_equal(t->spec.dropped_preferences, 100 - POD_PREFERENCES_MAX);
}

TEST_F(Bounded, t, what_is_within_the_bounds_stays_as_it_is) {
    for (int i = 0; i < POD_PREFERENCES_MAX; i++)
        vec_push(&t->arena, &t->spec.preferred_node_terms,
                 (NodeTerm){.weight = i + 1, .expressions = expressions(&t->arena, 2, 3)});
    pod_preferences_bound(&t->spec);

    assert_int_equal(t->spec.preferred_node_terms.count, POD_PREFERENCES_MAX);
    assert_int_equal(t->spec.dropped_preferences, 0);
}
