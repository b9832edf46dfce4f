// Labels, selectors, taints and tolerations by Kubernetes' matching rules.
#include "harness/test.h"
#include "model/labels.h"

static Arena arena;
static Symbols symbols;

static void set_up(void) {
    names_init(&symbols);
}

static void tear_down(void) {
    symbols_free(&symbols);
    arena_free(&arena);
}

BEFORE_EACH(set_up);
AFTER_EACH(tear_down);

static Symbol sym(const char *text) {
    return symbol_intern(&symbols, slice_of(text));
}

TEST(labels_are_found_and_replaced) {
    Labels labels = {0}, same = {0};

    assert_int_equal(labels_get(&labels, sym("a")), INDEX_NONE);
    for (int i = 0; i < 20; i++)
        labels_set(&arena, &labels, sym((const char[]){(char)('a' + i * 7 % 20), 0}), sym("old"));
    labels_set(&arena, &labels, sym("c"), sym("new"));
    labels_set(&arena, &labels, sym("empty"), NAME_EMPTY);

    assert_int_equal(labels.count, 21);
    assert_int_equal(labels_get(&labels, sym("c")), sym("new"));
    assert_int_equal(labels_get(&labels, sym("t")), sym("old"));
    assert_int_equal(labels_get(&labels, sym("empty")), NAME_EMPTY);
    assert_int_equal(labels_get(&labels, sym("u")), INDEX_NONE);
    for (uint32_t i = 1; i < labels.count; i++)
        assert_true(labels.items[i - 1].key < labels.items[i].key);

    for (uint32_t i = labels.count; i-- > 0;)
        labels_set(&arena, &same, labels.items[i].key, labels.items[i].value);
    assert_true(labels_eq(&labels, &same));
    labels_set(&arena, &same, sym("c"), sym("old"));
    assert_false(labels_eq(&labels, &same));
}

static void add(LabelSelector *selector, const char *key, Operator op, const char *value) {
    Expression *expression = vec_add(&arena, &selector->expressions);

    expression->key = sym(key);
    expression->op = op;
    if (value)
        vec_push(&arena, &expression->values, sym(value));
}

static bool matches(const char *key, Operator op, const char *value) {
    LabelSelector selector = {0};
    Labels labels = {0};

    labels_set(&arena, &labels, sym("app"), sym("web"));
    add(&selector, key, op, value);
    return selector_matches(&selector, &labels);
}

TEST(selectors_match_as_in_kubernetes) {
    LabelSelector everything = {0}, two = {0};
    Labels labels = {0};

    assert_true(matches("app", OP_IN, "web"));
    assert_false(matches("app", OP_IN, "db"));
    assert_false(matches("tier", OP_IN, "web"));
    assert_false(matches("app", OP_NOT_IN, "web"));
    assert_true(matches("app", OP_NOT_IN, "db"));
    assert_true(matches("tier", OP_NOT_IN, "db"));
    assert_true(matches("app", OP_EXISTS, NULL));
    assert_false(matches("tier", OP_EXISTS, NULL));
    assert_false(matches("app", OP_DOES_NOT_EXIST, NULL));
    assert_true(matches("tier", OP_DOES_NOT_EXIST, NULL));

    assert_true(selector_matches(&everything, &labels));
    assert_false(selector_matches(NULL, &labels));
    add(&two, "tier", OP_DOES_NOT_EXIST, NULL);
    assert_true(selector_matches(&two, &labels));
    add(&two, "app", OP_EXISTS, NULL);
    assert_false(selector_matches(&two, &labels));
}

static bool tolerates(const char *key, TolerationOp op, const char *value, TaintEffect effect,
                      const char *taint_value) {
    Toleration toleration = {.key = sym(key), .value = sym(value), .op = op, .effect = effect};
    Taint taint = {.key = sym("gpu"), .value = sym(taint_value), .effect = EFFECT_NO_SCHEDULE};

    return toleration_tolerates(&symbols, &toleration, &taint);
}

TEST(tolerations_match_as_in_kubernetes) {
    assert_true(tolerates("gpu", TOLERATION_EQUAL, "yes", EFFECT_NO_SCHEDULE, "yes"));
    assert_true(tolerates("gpu", TOLERATION_EQUAL, "yes", EFFECT_NONE, "yes"));
    assert_false(tolerates("gpu", TOLERATION_EQUAL, "no", EFFECT_NONE, "yes"));
    assert_false(tolerates("gpu", TOLERATION_EQUAL, "yes", EFFECT_NO_EXECUTE, "yes"));
    assert_false(tolerates("tpu", TOLERATION_EQUAL, "yes", EFFECT_NONE, "yes"));
    assert_true(tolerates("gpu", TOLERATION_EXISTS, "", EFFECT_NONE, "yes"));
    assert_false(tolerates("tpu", TOLERATION_EXISTS, "", EFFECT_NONE, "yes"));
    assert_true(tolerates("", TOLERATION_EXISTS, "", EFFECT_NONE, "yes"));
    assert_false(tolerates("", TOLERATION_EXISTS, "", EFFECT_NO_EXECUTE, "yes"));
    assert_true(tolerates("gpu", TOLERATION_GT, "10", EFFECT_NONE, "11"));
    assert_false(tolerates("gpu", TOLERATION_GT, "10", EFFECT_NONE, "10"));
    assert_true(tolerates("gpu", TOLERATION_LT, "10", EFFECT_NONE, "9"));
    assert_false(tolerates("gpu", TOLERATION_LT, "10", EFFECT_NONE, "10"));
    assert_false(tolerates("gpu", TOLERATION_LT, "10", EFFECT_NONE, "few"));
}

TEST(any_toleration_is_enough) {
    Taint taint = {.key = sym("gpu"), .effect = EFFECT_PREFER_NO_SCHEDULE};
    TolerationVec tolerations = {0};

    assert_false(taint_is_tolerated(&symbols, &taint, &tolerations));
    vec_push(&arena, &tolerations, (Toleration){.key = sym("tpu"), .op = TOLERATION_EXISTS});
    assert_false(taint_is_tolerated(&symbols, &taint, &tolerations));
    vec_push(&arena, &tolerations, (Toleration){.key = sym("gpu"), .op = TOLERATION_EXISTS});
    assert_true(taint_is_tolerated(&symbols, &taint, &tolerations));
}

TEST(taints_print_as_kubectl_writes_them) {
    Taint with = {.key = sym("dedicated"), .value = sym("gpu"), .effect = EFFECT_NO_EXECUTE};
    Taint without = {.key = sym("dedicated"), .effect = EFFECT_PREFER_NO_SCHEDULE};

    assert_string_equal(arena_text(&arena, taint_print(&arena, &symbols, &with)), "dedicated=gpu:NoExecute");
    assert_string_equal(arena_text(&arena, taint_print(&arena, &symbols, &without)), "dedicated:PreferNoSchedule");
}
