// The annotation tenon.sh/command.
#include "ctl/common/command_record.h"

#include "harness/test.h"

TEST(a_record_is_read_as_it_was_printed) {
    const Record records[] = {
        {SLICE("0f8fad5b-d9cb"), RECORD_CANDIDATE, 0, INT64_MAX},
        {SLICE("0f8fad5b-d9cb"), RECORD_CANDIDATE, 17, INT64_MAX},
        {SLICE("0f8fad5b-d9cb"), RECORD_CANDIDATE, 1, INT64_C(600000000000)},
        {SLICE("0f8fad5b-d9cb"), RECORD_CANDIDATE, 1, 0},
        {SLICE("0f8fad5b-d9cb"), RECORD_REPLACEMENT, 0, INT64_MAX},
    };
    Arena arena = {0};
    Record read;

    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        assert_true(record_read(record_print(&arena, &records[i]), &read));
        assert_true(slice_eq(read.uuid, records[i].uuid));
        assert_int_equal(read.role, records[i].role);
        assert_int_equal(read.replacements, records[i].replacements);
        assert_true(read.bound_ns == records[i].bound_ns);
    }
    arena_free(&arena);
}

TEST(what_is_no_record_is_not_read) {
    static const char *const texts[] = {
        "",
        "a",
        "a/",
        "a/candidate",
        "a/candidate/awaits-",
        "a/candidate/awaits-x",
        "a/candidate/awaits--1",
        "a/candidate/awaits-99999999999",
        "a/candidate/awaits-1/",
        "a/candidate/awaits-1/drains-",
        "a/candidate/awaits-1/drains-s",
        "a/candidate/awaits-1/drains--1s",
        "a/candidate/awaits-1/drains-9223372036854775807s",
        "a/candidate/awaits-1/waits-1s",
        "a/replacement",
        "a/replacement/joins/",
        "/replacement/joins",
    };
    Record read;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(record_read(slice_of(texts[i]), &read));
}
