// Records of launches on NodeClaims, and the book of tokens (docs/design/cloud-aws.md).
#include "cloud/aws/fleet/token_book.h"
#include "harness/test.h"

#include <stdio.h>

typedef struct {
    const char *text;
    bool is_record;
    uint32_t rank, count;
} ReadRow;

static void list_reads(TestCases *cases) {
    static ReadRow rows[] = {
        {"t/0/1", true, 0, 1},
        {"t/2/3", true, 2, 3},
        {"t/7", true, 7, 0}, // of how many is not known
        {"t/999999/1000000", true, 999999, 1000000},
        {"", false, 0, 0},
        {"t", false, 0, 0},
        {"t/", false, 0, 0},
        {"/0/1", false, 0, 0},
        {"t/1/1", false, 0, 0},
        {"t/-1/2", false, 0, 0},
        {"t/0/-1", false, 0, 0},
        {"t/0/0", false, 0, 0},
        {"t/0/1/2", false, 0, 0},
        {"t/x/2", false, 0, 0},
        {"t/0/1000001", false, 0, 0},
        {"t/99999999999999999999", false, 0, 0},
        {"t /0/1 ", false, 0, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].text, &rows[i]);
}

TEST_EACH(ReadRow, row, records_are_read, list_reads) {
    LaunchRecord record = {0};

    assert_int_equal(launch_record_read(slice_of(row->text), &record), row->is_record);
    assert_int_equal(record.rank, row->rank);
    assert_int_equal(record.count, row->count);
}

TEST(what_is_printed_is_read) {
    const LaunchRecord record = {SLICE("0a1b"), 4, 9};
    LaunchRecord read = {0};
    Arena arena = {0};
    Slice text = launch_record_print(&arena, &record);

    assert_true(slice_eq_text(text, "0a1b/4/9"));
    assert_true(launch_record_read(text, &read));
    assert_true(slice_eq(read.token, record.token));
    assert_int_equal(read.rank, 4);
    assert_int_equal(read.count, 9);
    arena_free(&arena);
}

// --- the book

static void put(TokenBook *book, const char *uid, const char *token, bool is_spent, int64_t seconds) {
    const Mono now = {seconds * NS_PER_S};
    const TokenEntry entry = {slice_of(uid), {slice_of(token), 0, 1}, is_spent, now};

    token_book_put(book, &entry, now);
}

TEST(the_last_of_a_claim_counts) {
    TokenBook book = {0};

    put(&book, "a", "t1", false, 1);
    put(&book, "b", "t1", false, 1);
    put(&book, "a", "t2", true, 2);
    assert_true(slice_eq_text(token_book_get(&book, SLICE("a"))->record.token, "t2"));
    assert_true(token_book_get(&book, SLICE("a"))->is_spent);
    assert_false(token_book_get(&book, SLICE("b"))->is_spent);
    assert_null(token_book_get(&book, SLICE("c")));
    token_book_free(&book);
}

TEST(entries_are_kept_for_ten_minutes_and_not_for_ever) {
    TokenBook book = {0};

    put(&book, "a", "t1", false, 1);
    put(&book, "b", "t2", false, 590);
    put(&book, "c", "t3", false, 1190); // a and b are old now
    assert_non_null(token_book_get(&book, SLICE("b")));
    put(&book, "b", "t4", false, 1200);
    assert_true(slice_eq_text(token_book_get(&book, SLICE("b"))->record.token, "t4"));
    put(&book, "d", "t5", false, 1800);
    assert_null(token_book_get(&book, SLICE("a")));
    assert_non_null(token_book_get(&book, SLICE("b")));
    token_book_free(&book);
}

TEST(memory_is_bounded_by_what_comes_in_twenty_minutes) {
    TokenBook book = {0};
    size_t most = 0;

    for (uint32_t i = 0; i < 200000; i++) {
        char uid[40];

        snprintf(uid, sizeof uid, "uid-%u", i);
        put(&book, uid, "0123456789012345678901234567890123456789012345678901234567890123", false, 1 + i / 10);
        if (i == 40000)
            most = arena_used(&book.young.arena) + arena_used(&book.old.arena);
    }
    assert_true(arena_used(&book.young.arena) + arena_used(&book.old.arena) < 2 * most);
    token_book_free(&book);
}
