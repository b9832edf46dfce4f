// Universe: masks of atoms must agree with the requirement algebra of model/requirement.h.
#include "harness/test.h"
#include "sched/index/universe.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    Arena arena;
    Symbols symbols;
    Universe universe;
    Symbol key;
} Labelled;

static Labelled *setup(void) {
    Labelled *t = calloc(1, sizeof *t);

    names_init(&t->symbols);
    universe_init(&t->universe, &t->arena, &t->symbols);
    t->key = symbol_intern(&t->symbols, SLICE("key"));
    return t;
}

static void teardown(Labelled *t) {
    arena_free(&t->arena);
    symbols_free(&t->symbols);
    free(t);
}

FIXTURE(Labelled, setup, teardown);

typedef struct {
    Operator op;
    const char *values[4];
} Written;

static const Written written[] = {
    {OP_IN, {"a"}},          {OP_IN, {"a", "b"}}, {OP_IN, {"1", "9"}},      {OP_IN, {"5"}},  {OP_NOT_IN, {"a"}},
    {OP_NOT_IN, {"1", "2"}}, {OP_EXISTS, {0}},    {OP_DOES_NOT_EXIST, {0}}, {OP_GT, {"1"}},  {OP_LT, {"9"}},
    {OP_GT, {"9"}},          {OP_LT, {"1"}},      {OP_GTE, {"5"}},          {OP_LTE, {"5"}}, {OP_GT, {"-3"}},
};
enum { WRITTEN = sizeof written / sizeof *written };

static Expression expression_of(Labelled *t, const Written *from) {
    Expression expression = {.key = t->key, .op = from->op};

    for (int i = 0; i < 4 && from->values[i]; i++)
        vec_push(&t->arena, &expression.values, symbol_intern(&t->symbols, slice_of(from->values[i])));
    return expression;
}

// Mentions all of `written`, each value as required, freezes, and returns the index of the key.
static uint32_t freeze_all(Labelled *t) {
    ExpressionVec all = {0};

    for (int i = 0; i < WRITTEN; i++) {
        vec_push(&t->arena, &all, expression_of(t, &written[i]));
        for (int j = 0; j < 4 && written[i].values[j]; j++)
            universe_mention_value(&t->universe, t->key, symbol_intern(&t->symbols, slice_of(written[i].values[j])));
    }
    universe_mention_expressions(&t->universe, &all);
    universe_freeze(&t->universe);
    return universe_key(&t->universe, t->key);
}

static uint64_t mask_of(Labelled *t, uint32_t key, const Written *from) {
    Expression expression = expression_of(t, from);
    uint64_t mask[4] = {0};

    assert_int_equal(t->universe.keys.items[key].words, 1);
    universe_expression_mask(&t->universe, key, &expression, mask);
    return mask[0];
}

// Values of every kind: listed ones, others, integers between, below and above the bounds.
static const char *const samples[] = {"a", "b", "c",  "",  "1",  "2",  "3",  "5",
                                      "7", "9", "10", "0", "-3", "-2", "-9", "1x"};

TEST_F(Labelled, t, atom_of_a_value_is_in_the_mask_when_the_requirement_has_it) {
    uint32_t key = freeze_all(t);

    for (int i = 0; i < WRITTEN; i++) {
        Expression expression = expression_of(t, &written[i]);
        Requirement requirement = requirement_make(&t->arena, &t->symbols, &expression);
        uint64_t mask = mask_of(t, key, &written[i]);

        for (size_t s = 0; s < sizeof samples / sizeof *samples; s++) {
            Symbol value = symbol_intern(&t->symbols, slice_of(samples[s]));
            bool in_mask = mask >> universe_atom(&t->universe, key, value) & 1;

            if (in_mask != requirement_has(&t->symbols, &requirement, value))
                fail_msg("\"%s\" and expression %d: mask %d", samples[s], i, in_mask);
        }
    }
}

TEST_F(Labelled, t, mask_of_a_requirement_is_that_of_its_expression) {
    uint32_t key = freeze_all(t);

    for (int i = 0; i < WRITTEN; i++) {
        Expression expression = expression_of(t, &written[i]);
        Requirement requirement = requirement_make(&t->arena, &t->symbols, &expression);
        uint64_t mask[4] = {0};

        universe_requirement_mask(&t->universe, key, &requirement, mask);
        assert_int_equal(mask[0], mask_of(t, key, &written[i]));
    }
}

// AND of masks is the mask of the intersection. The exception: two contradicting requirements that both need the label
// give an empty mask, where the algebra gives DoesNotExist.
TEST_F(Labelled, t, intersection_is_and) {
    uint32_t key = freeze_all(t), absent = t->universe.keys.items[key].absent;

    for (int i = 0; i < WRITTEN; i++) {
        for (int j = 0; j < WRITTEN; j++) {
            Expression left = expression_of(t, &written[i]), right = expression_of(t, &written[j]);
            Requirement a = requirement_make(&t->arena, &t->symbols, &left);
            Requirement b = requirement_make(&t->arena, &t->symbols, &right);
            Requirement both = requirement_intersect(&t->arena, &t->symbols, &a, &b);
            uint64_t masks = mask_of(t, key, &written[i]) & mask_of(t, key, &written[j]), mask[4] = {0};

            universe_requirement_mask(&t->universe, key, &both, mask);
            if (requirement_operator(&both) == OP_DOES_NOT_EXIST && !(masks >> absent & 1))
                mask[0] = 0;
            if (both.complement) // NotIn ∩ bounds needs the label; only NotIn alone is satisfied by absence
                mask[0] &= ~(UINT64_C(1) << absent) | masks;
            if (mask[0] != masks)
                fail_msg("expressions %d and %d: %llx, not %llx", i, j, (unsigned long long)masks,
                         (unsigned long long)mask[0]);
        }
    }
}

TEST_F(Labelled, t, absence_satisfies_not_in_and_does_not_exist_only) {
    uint32_t key = freeze_all(t), absent = t->universe.keys.items[key].absent;

    for (int i = 0; i < WRITTEN; i++)
        assert_int_equal(mask_of(t, key, &written[i]) >> absent & 1,
                         written[i].op == OP_NOT_IN || written[i].op == OP_DOES_NOT_EXIST);
}

TEST_F(Labelled, t, bound_that_is_no_integer_matches_nothing) {
    uint32_t key = freeze_all(t);

    assert_int_equal(mask_of(t, key, &(Written){OP_GT, {"x"}}), 0);
    assert_int_equal(mask_of(t, key, &(Written){OP_GT, {"9223372036854775807"}}), 0);
    assert_int_equal(mask_of(t, key, &(Written){OP_LT, {"-9223372036854775808"}}), 0);
}

TEST_F(Labelled, t, keys_that_nobody_mentions_are_unknown) {
    freeze_all(t);

    assert_int_equal(universe_key(&t->universe, symbol_intern(&t->symbols, SLICE("other"))), INDEX_NONE);
}

TEST_F(Labelled, t, old_names_of_labels_are_the_same_key) {
    universe_mention_value(&t->universe, symbol_intern(&t->symbols, SLICE("failure-domain.beta.kubernetes.io/zone")),
                           symbol_intern(&t->symbols, SLICE("a")));
    universe_freeze(&t->universe);

    assert_int_not_equal(universe_key(&t->universe, NAME_ZONE), INDEX_NONE);
    assert_int_equal(t->universe.keys.count, 1);
}

static LabelSetId set_of(Labelled *t, const Written *from) {
    LabelSetBuilder builder = label_set_start(&t->arena, &t->universe);
    Expression expression = expression_of(t, from);

    label_set_and_expressions(&builder, &(ExpressionVec){&expression, 1, 1});
    return label_set_finish(&builder);
}

TEST_F(Labelled, t, equal_sets_have_equal_numbers) {
    freeze_all(t);

    assert_int_equal(set_of(t, &(Written){OP_IN, {"a", "b"}}), set_of(t, &(Written){OP_IN, {"b", "a"}}));
    assert_int_not_equal(set_of(t, &(Written){OP_IN, {"a", "b"}}), set_of(t, &(Written){OP_IN, {"a"}}));
    LabelSetBuilder empty = label_set_start(&t->arena, &t->universe);
    assert_int_equal(label_set_finish(&empty), LABEL_SET_EMPTY);
}

TEST_F(Labelled, t, contradiction_makes_an_impossible_set) {
    LabelSetBuilder builder;
    Expression a = expression_of(t, &(Written){OP_IN, {"a"}}), b = expression_of(t, &(Written){OP_IN, {"b"}});

    freeze_all(t);
    builder = label_set_start(&t->arena, &t->universe);
    label_set_and_expressions(&builder, &(ExpressionVec){&a, 1, 1});
    label_set_and_expressions(&builder, &(ExpressionVec){&b, 1, 1});

    assert_true(label_set(&t->universe, label_set_finish(&builder))->impossible);
    assert_false(label_set(&t->universe, set_of(t, &(Written){OP_IN, {"a"}}))->impossible);
}

TEST_F(Labelled, t, rows_are_narrowed_and_compared) {
    uint64_t row[2] = {0};
    uint32_t key = freeze_all(t);
    const LabelSet *ab = label_set(&t->universe, set_of(t, &(Written){OP_IN, {"a", "b"}}));
    const LabelSet *a = label_set(&t->universe, set_of(t, &(Written){OP_IN, {"a"}}));
    const LabelSet *none = label_set(&t->universe, set_of(t, &(Written){OP_IN, {"9"}}));

    bitset_fill(row, t->universe.keys.items[key].atoms);
    assert_false(row_within(&t->universe, row, ab));
    assert_true(row_meets(&t->universe, row, ab));
    assert_true(row_narrow(&t->universe, row, ab));
    assert_int_equal(bitset_count(row, 1), 2);
    assert_true(row_within(&t->universe, row, ab));
    assert_false(row_within(&t->universe, row, a));
    assert_true(row_meets(&t->universe, row, a));
    assert_false(row_meets(&t->universe, row, none));
    assert_false(row_narrow(&t->universe, row, none));
}

// Notes that something has this value of the fixture's key.
static void note(Labelled *t, const char *value) {
    KeysHad keys = universe_keys_had(&t->universe, &t->arena);
    Requirement had = requirement_in(&t->arena, t->key, symbol_intern(&t->symbols, slice_of(value)));

    universe_note_had(&t->universe, &keys, &(Requirements){.items = &had, .count = 1});
}

static void mention(Labelled *t, const Written *from) {
    Expression expression = expression_of(t, from);

    universe_mention_expressions(&t->universe, &(ExpressionVec){&expression, 1, 1});
}

static uint32_t freeze(Labelled *t) {
    universe_freeze(&t->universe);
    return universe_key(&t->universe, t->key);
}

TEST_F(Labelled, t, what_nodes_have_on_a_topology_key_are_domains_but_for_the_host_name) {
    KeysHad keys;

    universe_mention_topology(&t->universe, NAME_HOSTNAME);
    keys = universe_keys_had(&t->universe, &t->arena);
    assert_false(keys.any);

    universe_mention_topology(&t->universe, t->key);
    note(t, "a");
    assert_int_equal(t->universe.keys.items[freeze(t)].value_count, 1);
}

TEST_F(Labelled, t, values_that_are_only_excluded_and_that_nothing_has_are_no_atoms) {
    mention(t, &(Written){OP_NOT_IN, {"x", "y", "7"}});
    mention(t, &(Written){OP_IN, {"a"}});

    assert_int_equal(t->universe.keys.items[freeze(t)].value_count, 1);
    assert_int_equal(set_of(t, &(Written){OP_NOT_IN, {"x"}}), set_of(t, &(Written){OP_NOT_IN, {"y", "7"}}));
    assert_int_equal(set_of(t, &(Written){OP_NOT_IN, {"x"}}), LABEL_SET_EMPTY);
    assert_int_not_equal(set_of(t, &(Written){OP_NOT_IN, {"a"}}), LABEL_SET_EMPTY);
}

TEST_F(Labelled, t, excluded_values_that_something_has_are_atoms) {
    mention(t, &(Written){OP_NOT_IN, {"x", "y"}});
    note(t, "x");

    assert_int_equal(t->universe.keys.items[freeze(t)].value_count, 1);
    assert_int_not_equal(set_of(t, &(Written){OP_NOT_IN, {"x"}}), LABEL_SET_EMPTY);
}

TEST_F(Labelled, t, excluded_values_that_are_also_required_are_atoms_in_any_order) {
    mention(t, &(Written){OP_NOT_IN, {"x", "y"}});
    mention(t, &(Written){OP_IN, {"x"}});

    assert_int_equal(t->universe.keys.items[freeze(t)].value_count, 1);
}

TEST_F(Labelled, t, excluded_values_are_known_though_they_are_no_atoms) {
    uint32_t key;

    mention(t, &(Written){OP_NOT_IN, {"x"}});
    key = freeze(t);

    assert_true(universe_is_excluded(&t->universe, key, symbol_intern(&t->symbols, SLICE("x"))));
    assert_false(universe_is_excluded(&t->universe, key, symbol_intern(&t->symbols, SLICE("y"))));
}

TEST_F(Labelled, t, number_falls_into_the_interval_between_the_bounds_around_it) {
    enum { CUTS = 40 };
    uint32_t key;

    for (int i = 0; i < CUTS; i++) {
        char bound[16];

        snprintf(bound, sizeof bound, "%d", i * 10);
        mention(t, &(Written){OP_GTE, {bound}});
    }
    key = freeze(t);
    for (int i = 0; i < CUTS; i++) {
        char number[16];
        uint32_t first = t->universe.keys.items[key].interval;

        snprintf(number, sizeof number, "%d", i * 10 + 3);
        assert_int_equal(universe_atom(&t->universe, key, symbol_intern(&t->symbols, slice_of(number))),
                         first + (uint32_t)i + 1);
    }
    assert_int_equal(universe_atom(&t->universe, key, symbol_intern(&t->symbols, SLICE("-1"))),
                     t->universe.keys.items[key].interval);
}
