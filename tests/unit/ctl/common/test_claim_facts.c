// Facts about claims that their controllers share.
#include "ctl/common/claim_facts.h"
#include "ctl/support/env.h"

TEST(a_message_is_cut_between_characters) {
    Arena arena = {0};
    char text[400];
    Slice cut;

    memset(text, 'x', sizeof text);
    assert_int_equal(claim_message(&arena, (Slice){text, 300}).len, 300); // as it is
    assert_int_equal(claim_message(&arena, (Slice){text, 301}).len, 303);
    memcpy(text + 298, "\xe2\x82\xac", 3); // €: its third byte is one too many
    cut = claim_message(&arena, (Slice){text, 301});
    assert_int_equal(cut.len, 301);
    assert_memory_equal(cut.ptr + 297, "x...", 4);
    arena_free(&arena);
}

TEST(a_claim_that_takes_the_name_of_another_ends_it) {
    const NodeClaim one = {.meta = {.uid = 1}}, later = {.meta = {.uid = 1}}, other = {.meta = {.uid = 2}};

    assert_ptr_equal(claim_begun(&(StateChange){.after = &one}), &one);
    assert_null(claim_ended(&(StateChange){.after = &one}));
    assert_null(claim_begun(&(StateChange){.before = &one, .after = &later}));
    assert_null(claim_ended(&(StateChange){.before = &one, .after = &later}));
    assert_ptr_equal(claim_ended(&(StateChange){.before = &one, .after = &other}), &one);
    assert_ptr_equal(claim_begun(&(StateChange){.before = &one, .after = &other}), &other);
    assert_ptr_equal(claim_ended(&(StateChange){.before = &one}), &one);
    assert_null(claim_begun(&(StateChange){.before = &one}));
}
