// Facts about claims that their controllers share.
#include "ctl/common/claim_facts.h"
#include "ctl/support/stage.h"

static void a_message_is_cut_between_characters(void **state) {
    Arena arena = {0};
    char text[400];
    Slice cut;

    (void)state;
    memset(text, 'x', sizeof text);
    assert_int_equal(claim_message(&arena, (Slice){text, 300}).len, 300); // as it is
    assert_int_equal(claim_message(&arena, (Slice){text, 301}).len, 303);
    memcpy(text + 298, "\xe2\x82\xac", 3); // €: its third byte is one too many
    cut = claim_message(&arena, (Slice){text, 301});
    assert_int_equal(cut.len, 301);
    assert_memory_equal(cut.ptr + 297, "x...", 4);
    arena_free(&arena);
}

static void a_claim_that_takes_the_name_of_another_ends_it(void **state) {
    const NodeClaim one = {.meta = {.uid = 1}}, later = {.meta = {.uid = 1}}, other = {.meta = {.uid = 2}};

    (void)state;
    assert_ptr_equal(claim_begun(&(StateChange){.after = &one}), &one);
    assert_null(claim_ended(&(StateChange){.after = &one}));
    assert_null(claim_begun(&(StateChange){.before = &one, .after = &later}));
    assert_null(claim_ended(&(StateChange){.before = &one, .after = &later}));
    assert_ptr_equal(claim_ended(&(StateChange){.before = &one, .after = &other}), &one);
    assert_ptr_equal(claim_begun(&(StateChange){.before = &one, .after = &other}), &other);
    assert_ptr_equal(claim_ended(&(StateChange){.before = &one}), &one);
    assert_null(claim_begun(&(StateChange){.before = &one}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_is_cut_between_characters),
        cmocka_unit_test(a_claim_that_takes_the_name_of_another_ends_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
