// What EC2 has no capacity for, and for how long: upstream's area "cloud provider" (unavailable offerings,
// pkg/cache/unavailableofferings_test.go). Reference aws.md 2.3, 2.6; corrections of 1.15.
#include "cloud/aws/launch/unavailable.h"
#include "harness/test.h"

enum { TYPE = 100, TYPE_2, ZONE, ZONE_2, SUBNET, SUBNET_2, GROUP, GROUP_2, RESERVATION, RESERVATION_2 };

#define OFFERING(ct, of_type, in_zone)                                                                                 \
    { .kind = UNAVAILABLE_OFFERING, .capacity_type = (ct), .type = (of_type), .zone = (in_zone) }

typedef struct {
    const char *name;
    UnavailableMark mark, asked;
    int64_t after_ns;
    bool wanted;
} Row;

static const Row rows[] = {
    {"cloud provider: unavailable: what was marked", OFFERING(NAME_SPOT, TYPE, ZONE), OFFERING(NAME_SPOT, TYPE, ZONE),
     0, true},
    {"cloud provider: unavailable: until three minutes are over", OFFERING(NAME_SPOT, TYPE, ZONE),
     OFFERING(NAME_SPOT, TYPE, ZONE), UNAVAILABLE_FOR_NS - 1, true},
    {"cloud provider: unavailable: not longer", OFFERING(NAME_SPOT, TYPE, ZONE), OFFERING(NAME_SPOT, TYPE, ZONE),
     UNAVAILABLE_FOR_NS, false},
    {"cloud provider: unavailable: not another zone", OFFERING(NAME_SPOT, TYPE, ZONE),
     OFFERING(NAME_SPOT, TYPE, ZONE_2), 0, false},
    {"cloud provider: unavailable: not another type", OFFERING(NAME_SPOT, TYPE, ZONE),
     OFFERING(NAME_SPOT, TYPE_2, ZONE), 0, false},
    {"cloud provider: unavailable: not on demand", OFFERING(NAME_SPOT, TYPE, ZONE),
     OFFERING(NAME_ON_DEMAND, TYPE, ZONE), 0, false},
    {"cloud provider: unavailable: all of spot",
     {.kind = UNAVAILABLE_CAPACITY_TYPE, .capacity_type = NAME_SPOT},
     OFFERING(NAME_SPOT, TYPE, ZONE),
     0,
     true},
    {"cloud provider: unavailable: on demand without spot",
     {.kind = UNAVAILABLE_CAPACITY_TYPE, .capacity_type = NAME_SPOT},
     OFFERING(NAME_ON_DEMAND, TYPE, ZONE),
     0,
     false},
    {"cloud provider: unavailable: one of two subnets",
     {.kind = UNAVAILABLE_SUBNET, .id = SUBNET},
     OFFERING(NAME_SPOT, TYPE, ZONE),
     0,
     false},
    {"cloud provider: unavailable: a reservation",
     {.kind = UNAVAILABLE_RESERVATION, .id = RESERVATION},
     {UNAVAILABLE_OFFERING, NAME_RESERVED, TYPE, ZONE, .id = RESERVATION},
     0,
     true},
    {"cloud provider: unavailable: not another reservation",
     {.kind = UNAVAILABLE_RESERVATION, .id = RESERVATION},
     {UNAVAILABLE_OFFERING, NAME_RESERVED, TYPE, ZONE, .id = RESERVATION_2},
     0,
     false},
    {"cloud provider: unavailable: in a placement group, for that group",
     {UNAVAILABLE_OFFERING, NAME_SPOT, TYPE, ZONE, .group = GROUP},
     {UNAVAILABLE_OFFERING, NAME_SPOT, TYPE, ZONE, .group = GROUP},
     0,
     true},
    {"cloud provider: unavailable: in a placement group, not for another",
     {UNAVAILABLE_OFFERING, NAME_SPOT, TYPE, ZONE, .group = GROUP},
     {UNAVAILABLE_OFFERING, NAME_SPOT, TYPE, ZONE, .group = GROUP_2},
     0,
     false},
    {"cloud provider: unavailable: in a placement group, not outside",
     {UNAVAILABLE_OFFERING, NAME_SPOT, TYPE, ZONE, .group = GROUP},
     OFFERING(NAME_SPOT, TYPE, ZONE),
     0,
     false},
    {"cloud provider: unavailable: outside of groups, in groups too",
     OFFERING(NAME_SPOT, TYPE, ZONE),
     {UNAVAILABLE_OFFERING, NAME_SPOT, TYPE, ZONE, .group = GROUP},
     0,
     true},
    {"cloud provider: unavailable: in a partition, not in another",
     {UNAVAILABLE_OFFERING, NAME_SPOT, TYPE, ZONE, .group = GROUP, .partition = 1},
     {UNAVAILABLE_OFFERING, NAME_SPOT, TYPE, ZONE, .group = GROUP, .partition = 2},
     0,
     false},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

static const Symbol subnets[] = {SUBNET, SUBNET_2};

TEST_EACH(const Row, row, offerings_are_unavailable, list_rows) {
    UnavailableBook book = {0};

    unavailable_mark(&book, &row->mark, 1000, 1000 + UNAVAILABLE_FOR_NS);
    assert_int_equal(unavailable_offering(&book, &row->asked, subnets, 2, 1000 + row->after_ns), row->wanted);
    unavailable_free(&book);
}

TEST(a_zone_is_unavailable_when_all_of_its_subnets_are) {
    UnavailableMark offering = OFFERING(NAME_SPOT, TYPE, ZONE);
    UnavailableBook book = {0};

    unavailable_mark(&book, &(UnavailableMark){.kind = UNAVAILABLE_SUBNET, .id = SUBNET}, 0, UNAVAILABLE_FOR_NS);
    unavailable_mark(&book, &(UnavailableMark){.kind = UNAVAILABLE_SUBNET, .id = SUBNET_2}, 0, UNAVAILABLE_FOR_NS);
    assert_true(unavailable_offering(&book, &offering, subnets, 2, 1));
    assert_false(unavailable_offering(&book, &offering, NULL, 0, 1));
    unavailable_free(&book);
}

TEST(sequence_numbers_change_with_the_answers) {
    UnavailableMark offering = OFFERING(NAME_SPOT, TYPE, ZONE);
    UnavailableMark spot = {.kind = UNAVAILABLE_CAPACITY_TYPE, .capacity_type = NAME_SPOT};
    UnavailableBook book = {0};
    uint64_t before = unavailable_sequence(&book, TYPE), other = unavailable_sequence(&book, TYPE_2);

    unavailable_mark(&book, &offering, 0, UNAVAILABLE_FOR_NS);
    assert_true(unavailable_sequence(&book, TYPE) > before);
    assert_true(unavailable_sequence(&book, TYPE_2) == other);
    before = unavailable_sequence(&book, TYPE);
    unavailable_mark(&book, &offering, NS_PER_S, NS_PER_S + UNAVAILABLE_FOR_NS); // it was so already
    unavailable_sweep(&book, UNAVAILABLE_FOR_NS);                                // and is prolonged by a second
    assert_true(unavailable_sequence(&book, TYPE) == before);
    unavailable_sweep(&book, UNAVAILABLE_FOR_NS + NS_PER_S);
    assert_true(unavailable_sequence(&book, TYPE) > before);
    assert_int_equal(book.entries.count, 0);
    unavailable_mark(&book, &spot, 0, UNAVAILABLE_FOR_NS);
    assert_true(unavailable_sequence(&book, TYPE_2) > other);
    unavailable_free(&book);
}

// Marks in any order are found again, and end one by one.
TEST(a_thousand_marks_are_found) {
    UnavailableBook book = {0};

    for (uint32_t i = 0; i < 1000; i++) {
        UnavailableMark mark = OFFERING(NAME_SPOT, TYPE + i * 7919 % 1000, ZONE);

        unavailable_mark(&book, &mark, i, i + UNAVAILABLE_FOR_NS);
    }
    assert_int_equal(book.entries.count, 1000);
    unavailable_sweep(&book, UNAVAILABLE_FOR_NS + 499);
    assert_int_equal(book.entries.count, 500);
    for (uint32_t i = 0; i < 1000; i++) {
        UnavailableMark mark = OFFERING(NAME_SPOT, TYPE + i * 7919 % 1000, ZONE);

        assert_int_equal(unavailable_has(&book, &mark, UNAVAILABLE_FOR_NS + 499), i >= 500);
    }
    unavailable_free(&book);
}
