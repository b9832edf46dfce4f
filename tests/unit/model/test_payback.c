// The annotations tenon.sh/min-saving and tenon.sh/payback of NodePools.
#include "harness/test.h"
#include "model/payback.h"
#include "model/validate/validate.h"

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

static NodePool pool_with(Symbol annotation, const char *text) {
    NodePool pool = {0};

    labels_set(&arena, &pool.meta.annotations, annotation, symbol_intern(&symbols, slice_of(text)));
    return pool;
}

static bool saving_is(const char *text, double per_hour, double share) {
    NodePool pool = pool_with(NAME_MIN_SAVING, text);
    bool valid;
    MinSaving saving = pool_min_saving(&symbols, &pool, &valid);

    return valid && saving.per_hour == per_hour && saving.share == share;
}

static const char *complaint(Symbol annotation, const char *text) {
    NodePool pool = pool_with(annotation, text);

    return arena_text(&arena, node_pool_complaint(&arena, &symbols, &pool));
}

TEST(a_least_saving_is_dollars_or_a_percentage) {
    assert_true(saving_is("0.05", 0.05, 0));
    assert_true(saving_is("0", 0, 0));
    assert_true(saving_is("10%", 0, 0.1));
    assert_true(saving_is("100%", 0, 1));
}

TEST(a_payback_is_a_duration) {
    NodePool pool = pool_with(NAME_PAYBACK, "2h30m"), none = {0};
    bool valid = false;

    assert_int_equal(pool_payback_ns(&symbols, &pool, &valid), 150 * NS_PER_MIN);
    assert_true(valid);
    assert_int_equal(pool_payback_ns(&symbols, &none, &valid), PAYBACK_DEFAULT_NS);
    assert_true(valid);
}

TEST(what_cannot_be_read_is_told_and_changes_nothing) {
    static const char *const savings[] = {"", "%", "-1", "101%", "five", "1e9", "$1"};
    static const char *const paybacks[] = {"", "1", "30s", "1001h", "-1h", "an hour"};
    bool valid = true;

    for (size_t i = 0; i < sizeof savings / sizeof *savings; i++) {
        NodePool pool = pool_with(NAME_MIN_SAVING, savings[i]);
        MinSaving saving = pool_min_saving(&symbols, &pool, &valid);

        assert_false(valid);
        assert_true(saving.per_hour == 0 && saving.share == 0);
    }
    for (size_t i = 0; i < sizeof paybacks / sizeof *paybacks; i++) {
        NodePool pool = pool_with(NAME_PAYBACK, paybacks[i]);

        assert_int_equal(pool_payback_ns(&symbols, &pool, &valid), PAYBACK_DEFAULT_NS);
        assert_false(valid);
    }
    assert_string_equal(complaint(NAME_MIN_SAVING, "five"),
                        "annotation tenon.sh/min-saving: expected dollars per hour such as \"0.05\", or a percentage "
                        "from 0% to 100% such as \"10%\", got \"five\"");
    assert_string_equal(
        complaint(NAME_PAYBACK, "30s"),
        "annotation tenon.sh/payback: expected a duration from 1m to 1000h such as \"1h\", got \"30s\"");
    assert_string_equal(complaint(NAME_PAYBACK, "1h"), "");
}
