// The requirement algebra: every vector of reference scheduling.md 2.1 to 2.5, quirks Q1 and Q3 fixed.
#include "base/buffer.h"
#include "harness/test.h"
#include "model/requirement.h"

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

static Operator operator_of(Slice text) {
    for (Operator op = OP_IN; op <= OP_LTE; op++) {
        if (slice_eq_text(text, operator_text(op)))
            return op;
    }
    fail_msg("no operator %.*s", SLICE_ARG(text));
    return OP_IN;
}

static Slice next_word(Slice *rest) {
    ptrdiff_t space = slice_find(*rest, ' ');
    Slice word = space < 0 ? *rest : slice_first(*rest, (size_t)space);

    *rest = slice_from(*rest, word.len + 1);
    return word;
}

// "key Op v1 v2 … min=n"
static Requirement parse(const char *text) {
    Slice rest = slice_of(text);
    Expression expression = {0};

    expression.key = symbol_intern(&symbols, next_word(&rest));
    expression.op = operator_of(next_word(&rest));
    while (rest.len) {
        Slice word = next_word(&rest);
        int64_t number;

        if (slice_starts_with(word, SLICE("min="))) {
            assert_true(slice_to_int64(slice_from(word, 4), &number));
            expression.min_values = (int32_t)number;
        } else {
            vec_push(&arena, &expression.values, symbol_intern(&symbols, word));
        }
    }
    return requirement_make(&arena, &symbols, &expression);
}

static const char *text_of(Slice slice) {
    return arena_text(&arena, slice);
}

static void assert_prints(const Requirement *requirement, const char *expected) {
    assert_string_equal(text_of(requirement_print(&arena, &symbols, requirement)), expected);
}

TEST(operators_become_sets) {
    static const struct {
        const char *text, *printed;
        Operator op;
    } cases[] = {
        {"k In b a b", "k In [a b]", OP_IN},
        {"k NotIn a", "k NotIn [a]", OP_NOT_IN},
        {"k Exists", "k Exists", OP_EXISTS},
        {"k DoesNotExist", "k DoesNotExist", OP_DOES_NOT_EXIST},
        {"k Gt 1", "k Exists >=2", OP_EXISTS},
        {"k Lt 1", "k Exists <=0", OP_EXISTS},
        {"k Gte 1", "k Exists >=1", OP_EXISTS},
        {"k Lte 1", "k Exists <=1", OP_EXISTS},
        {"k Gt 9223372036854775807", "k DoesNotExist", OP_DOES_NOT_EXIST},
        {"k Lt -9223372036854775808", "k DoesNotExist", OP_DOES_NOT_EXIST},
        {"k Gt many", "k DoesNotExist", OP_DOES_NOT_EXIST},
        {"k Gt 1 2", "k DoesNotExist", OP_DOES_NOT_EXIST},
        {"k In a min=2", "k In [a] minValues 2", OP_IN},
        {"beta.kubernetes.io/arch In arm64", "kubernetes.io/arch In [arm64]", OP_IN},
        {"failure-domain.beta.kubernetes.io/zone Exists", "topology.kubernetes.io/zone Exists", OP_EXISTS},
        {"failure-domain.beta.kubernetes.io/region Exists", "topology.kubernetes.io/region Exists", OP_EXISTS},
        {"beta.kubernetes.io/os Exists", "kubernetes.io/os Exists", OP_EXISTS},
        {"beta.kubernetes.io/instance-type Exists", "node.kubernetes.io/instance-type Exists", OP_EXISTS},
        {"topology.ebs.csi.aws.com/zone Exists", "topology.kubernetes.io/zone Exists", OP_EXISTS},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Requirement requirement = parse(cases[i].text);

        assert_prints(&requirement, cases[i].printed);
        assert_int_equal(requirement_operator(&requirement), cases[i].op);
    }
}

TEST(has_tests_membership_and_bounds) {
    static const struct {
        const char *requirement, *value;
        bool has;
    } cases[] = {
        {"k In a b", "a", true},         {"k In a b", "c", false}, {"k NotIn a", "a", false},
        {"k NotIn a", "c", true},        {"k Exists", "", true},   {"k DoesNotExist", "a", false},
        {"k Gt 3", "4", true},           {"k Gt 3", "3", false},   {"k Gt 3", "four", false},
        {"k Lt 3", "2", true},           {"k Lt 3", "3", false},   {"k Lt 3", "-7", true},
        {"k Gte 3", "3", true},          {"k Lte 3", "3", true},   {"k Gte 3", "2", false},
        {"k Lte 3", "4", false},         {"k Gt 3", "", false},    {"k In a", "", false},
        {"k Gt 9", "10000000000", true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Requirement requirement = parse(cases[i].requirement);
        Symbol value = symbol_intern(&symbols, slice_of(cases[i].value));

        if (requirement_has(&symbols, &requirement, value) != cases[i].has)
            fail_msg("%s has '%s' is not %d", cases[i].requirement, cases[i].value, cases[i].has);
    }
}

typedef struct {
    const char *a, *b, *both;
    bool intersects;
} Intersection;

static const Intersection intersections[] = {
    {"k NotIn A", "k NotIn 1 2", "k NotIn [1 2 A]", true},
    {"k NotIn 1 2", "k Gt 1", "k NotIn [2] >=2", true},
    {"k NotIn 1 2", "k Gt 9", "k Exists >=10", true},
    {"k NotIn 1 2", "k Lt 1", "k Exists <=0", true},
    {"k NotIn 1 2", "k Lt 9", "k NotIn [1 2] <=8", true},
    {"k NotIn A", "k Gt 1", "k Exists >=2", true},
    {"k Gt 1", "k Lt 9", "k Exists >=2 <=8", true},
    {"k Gt 1", "k Lt 1", "k DoesNotExist", false},
    {"k Gt 1", "k Gt 9", "k Exists >=10", true},
    {"k Lt 1", "k Lt 9", "k Exists <=0", true},
    {"k Gte 2", "k Lte 2", "k Exists >=2 <=2", true},
    {"k Gte 3", "k Lte 2", "k DoesNotExist", false},
    {"k In 1 9", "k Gt 1", "k In [9]", true},
    {"k In 1 9", "k Lt 9", "k In [1]", true},
    {"k In 1 9", "k Gte 9", "k In [9]", true},
    {"k In A", "k Gt 1", "k DoesNotExist", false},
    {"k In A B", "k NotIn A", "k In [B]", true},
    {"k In A", "k NotIn A", "k DoesNotExist", false},
    {"k In A B", "k In B C", "k In [B]", true},
    {"k In A", "k In B", "k DoesNotExist", false},
    {"k Exists", "k In A", "k In [A]", true},
    {"k Exists", "k NotIn A", "k NotIn [A]", true},
    {"k Exists", "k Gt 1", "k Exists >=2", true},
    {"k Exists", "k Exists", "k Exists", true},
    {"k Exists", "k DoesNotExist", "k DoesNotExist", false},
    {"k DoesNotExist", "k In A", "k DoesNotExist", false},
    {"k DoesNotExist", "k NotIn A", "k DoesNotExist", false},
    {"k DoesNotExist", "k Gt 1", "k DoesNotExist", false},
    {"k DoesNotExist", "k DoesNotExist", "k DoesNotExist", false},
    {"k In A min=1", "k Exists", "k In [A] minValues 1", true},
    {"k In A min=1", "k Exists min=3", "k In [A] minValues 3", true},
    {"k Gt 1 min=4", "k Lt 1", "k DoesNotExist minValues 4", false},
};

TEST(intersections_follow_the_vectors) {
    for (size_t i = 0; i < sizeof intersections / sizeof *intersections; i++) {
        const Intersection *given = &intersections[i];
        Requirement a = parse(given->a), b = parse(given->b);
        Requirement ab = requirement_intersect(&arena, &symbols, &a, &b);
        Requirement ba = requirement_intersect(&arena, &symbols, &b, &a);

        assert_prints(&ab, given->both);
        assert_true(requirement_eq(&ab, &ba));
        if (requirement_intersects(&symbols, &a, &b) != given->intersects ||
            requirement_intersects(&symbols, &b, &a) != given->intersects)
            fail_msg("%s and %s: intersects is not %d", given->a, given->b, given->intersects);
    }
}

// A value is in the intersection exactly when it is in both sides.
TEST(intersections_agree_with_has) {
    static const char *const values[] = {"A", "B", "C", "", "0", "1", "2", "8", "9", "10", "-5"};

    for (size_t i = 0; i < sizeof intersections / sizeof *intersections; i++) {
        Requirement a = parse(intersections[i].a), b = parse(intersections[i].b);
        Requirement both = requirement_intersect(&arena, &symbols, &a, &b);

        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            Symbol value = symbol_intern(&symbols, slice_of(values[v]));
            bool in_both = requirement_has(&symbols, &a, value) && requirement_has(&symbols, &b, value);

            if (requirement_has(&symbols, &both, value) != in_both)
                fail_msg("%s and %s differ on '%s'", intersections[i].a, intersections[i].b, values[v]);
        }
    }
}

static Requirements set_of(size_t count, const char *const *texts) {
    Requirements set = {0};

    for (size_t i = 0; i < count; i++) {
        Requirement requirement = parse(texts[i]);

        requirements_add(&arena, &symbols, &set, &requirement);
    }
    return set;
}
#define SET(...) set_of(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

TEST(sets_intersect_equal_keys) {
    Requirements set = SET("zone In a b", "arch In amd64", "zone NotIn a", "kubernetes.io/hostname In n1");
    Requirements other = SET("arch Exists min=2", "size Gt 4");
    Requirements copy = requirements_copy(&arena, &set);

    assert_int_equal(set.count, 3);
    assert_string_equal(text_of(requirements_print(&arena, &symbols, &set)), "arch In [amd64], zone In [b]");

    requirements_add_all(&arena, &symbols, &set, &other);
    assert_string_equal(text_of(requirements_print(&arena, &symbols, &set)),
                        "arch In [amd64] minValues 2, size Exists >=5, zone In [b]");
    assert_string_equal(text_of(requirements_print(&arena, &symbols, &copy)), "arch In [amd64], zone In [b]");

    requirements_remove(&set, symbol_intern(&symbols, SLICE("arch")));
    requirements_remove(&set, symbol_intern(&symbols, SLICE("nothing")));
    assert_null(requirements_get(&set, symbol_intern(&symbols, SLICE("arch"))));
    assert_prints(requirements_get(&set, symbol_intern(&symbols, SLICE("size"))), "size Exists >=5");
    assert_int_equal(set.count, 3);
}

static void assert_sets(Requirements a, Requirements b, const char *failing_key) {
    Symbol key = INDEX_NONE, reverse = INDEX_NONE;

    assert_int_equal(requirements_intersect(&symbols, &a, &b, &key), failing_key == NULL);
    assert_int_equal(requirements_intersect(&symbols, &b, &a, &reverse), failing_key == NULL);
    assert_int_equal(requirements_intersect(&symbols, &a, &b, NULL), failing_key == NULL);
    assert_int_equal(key, reverse);
    if (failing_key)
        assert_string_equal(text_of(symbol_text(&symbols, key)), failing_key);
    else
        assert_int_equal(key, INDEX_NONE);
}

TEST(sets_pass_on_keys_of_one_side) {
    assert_sets(SET("a In x"), SET("b In y"), NULL);
    assert_sets((Requirements){0}, SET("b In y"), NULL);
    assert_sets(SET("a In x", "b In y", "c In z"), SET("a In x", "c In z"), NULL);
    assert_sets(SET("z In x", "b In 1", "c In z"), SET("z In y", "b In 2", "c In z"), "b");
}

// Q1: without a common value only a label that both allow to be absent passes.
TEST(absence_satisfies_two_exclusions) {
    assert_sets(SET("k DoesNotExist"), SET("k DoesNotExist"), NULL);
    assert_sets(SET("k DoesNotExist"), SET("k NotIn a"), NULL);
    assert_sets(SET("k NotIn b"), SET("k NotIn a"), NULL);
    assert_sets(SET("k DoesNotExist"), SET("k Exists"), "k");
    assert_sets(SET("k DoesNotExist"), SET("k Gt 1"), "k");
    // Karpenter lets these two pass: both read back as NotIn, but their bounds demand a label.
    assert_sets(SET("k NotIn 5", "k Gt 1"), SET("k NotIn 0", "k Lt 1"), "k");
    assert_sets(SET("k NotIn 5", "k Gt 1"), SET("k DoesNotExist"), "k");
}

TEST(long_value_lists_are_cut) {
    Requirement five = parse("k In e d c b a"), seven = parse("k NotIn g f e d c b a");

    assert_prints(&five, "k In [a b c d e]");
    assert_prints(&seven, "k NotIn [a b c d e and 2 others]");
}

static const char *print_expressions(const ExpressionVec *expressions) {
    Buffer buffer = {0};
    const char *text;

    for (uint32_t i = 0; i < expressions->count; i++) {
        const Expression *expression = &expressions->items[i];

        buffer_printf(&buffer, "%s%.*s %s", i ? "; " : "", SLICE_ARG(symbol_text(&symbols, expression->key)),
                      operator_text(expression->op));
        for (uint32_t v = 0; v < expression->values.count; v++)
            buffer_printf(&buffer, " %.*s", SLICE_ARG(symbol_text(&symbols, expression->values.items[v])));
        if (expression->min_values)
            buffer_printf(&buffer, " min=%d", expression->min_values);
    }
    text = arena_text(&arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return text;
}

// Q3: bounds and excluded values both survive the way to the API.
TEST(expressions_keep_bounds_and_exclusions) {
    Requirements set = SET("z In b a", "m NotIn 5 7", "m Gt 1", "m Lt 9", "g Gte 3 min=2", "e Exists", "d DoesNotExist",
                           "n NotIn y x");
    ExpressionVec expressions = requirements_to_expressions(&arena, &symbols, &set);
    Requirements again = {0};

    assert_string_equal(print_expressions(&expressions), "d DoesNotExist; e Exists; g Gte 3 min=2; m Gte 2; m Lte 8; "
                                                         "m NotIn 5 7; n NotIn x y; z In a b");
    for (uint32_t i = 0; i < expressions.count; i++) {
        Requirement requirement = requirement_make(&arena, &symbols, &expressions.items[i]);

        requirements_add(&arena, &symbols, &again, &requirement);
    }
    assert_int_equal(again.count, set.count);
    for (uint32_t i = 0; i < set.count; i++)
        assert_true(requirement_eq(&again.items[i], &set.items[i]));
}
