// What a failed launch leaves for the next one: upstream's area "cloud provider" (unavailable offerings) and
// "instances and filters" (fallback). Users' R046. Reference aws.md 2.6, 4.4; corrections of 1.15.
#include "cloud/aws/launch/mask.h"
#include "cloud/support/offers.h"
#include "harness/test.h"

typedef struct {
    const char *name, *types, *requirements;
    const char *marks;  // "spot/m5.large/a", "subnet/s-1", "reservation/cr-1", "all/spot", between spaces
    const char *wanted; // the choice; NULL: no capacity
} Row;

#define NEXT "cloud provider: the next launch: "
#define M5   "m5.large: s:a:1 s:b:1 o:a:2 o:b:2"

static const Row rows[] = {
    {NEXT "nothing is marked", M5, "", "", "spot default: m5.large[s:a s:b]"},
    {NEXT "another zone", M5, "", "spot/m5.large/a", "spot default: m5.large[s:b]"},
    {NEXT "R046: on demand when spot is marked", M5, "", "spot/m5.large/a spot/m5.large/b",
     "on-demand default: m5.large[o:a o:b] inflexible"},
    {NEXT "on demand without the role of spot", M5, "", "all/spot", "on-demand default: m5.large[o:a o:b] inflexible"},
    {NEXT "spot alone, and marked", M5, "ct=spot", "all/spot", NULL},
    {NEXT "another type", M5 "; c5.large: s:a:2", "ct=spot", "spot/m5.large/a spot/m5.large/b",
     "spot default: c5.large[s:a]"},
    {NEXT "a mark of another type", M5, "ct=spot", "spot/c5.large/a", "spot default: m5.large[s:a s:b]"},
    {NEXT "a zone without addresses", M5, "ct=spot", "subnet/s-2", "spot default: m5.large[s:a]"},
    {NEXT "one of a zone's subnets without addresses", M5, "ct=spot", "subnet/s-1", "spot default: m5.large[s:a s:b]"},
    {NEXT "both of a zone's subnets without addresses", M5, "ct=spot", "subnet/s-1 subnet/s-3",
     "spot default: m5.large[s:b]"},
    {NEXT "R046: on demand when the reservation is marked", "m5.large: r:a:0.1:cr-1:3 o:a:1", "ct=reserved|on-demand",
     "reservation/cr-1", "on-demand default: m5.large[o:a]"},
    {NEXT "another reservation", "m5.large: r:a:0.1:cr-1:3 r:a:0.1:cr-2:1", "ct=reserved", "reservation/cr-1",
     "reserved default: m5.large[r:a:cr-2]"},
    {NEXT "what is unavailable stays so", "m5.large: !s:a:1 s:b:1", "ct=spot", "spot/m5.large/b", NULL},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

static UnavailableMark mark_of(TestLaunch *test, Slice text) {
    SliceVec parts = test_parts(&test->arena, text, '/');
    Symbol symbols[3] = {0};

    for (uint32_t i = 0; i < parts.count && i < 3; i++)
        symbols[i] = symbol_intern(&test->symbols, parts.items[i]);
    if (slice_eq_text(parts.items[0], "subnet"))
        return (UnavailableMark){.kind = UNAVAILABLE_SUBNET, .id = symbols[1]};
    if (slice_eq_text(parts.items[0], "reservation"))
        return (UnavailableMark){.kind = UNAVAILABLE_RESERVATION, .id = symbols[1]};
    if (slice_eq_text(parts.items[0], "all"))
        return (UnavailableMark){.kind = UNAVAILABLE_CAPACITY_TYPE, .capacity_type = symbols[1]};
    return (UnavailableMark){UNAVAILABLE_OFFERING, symbols[0], symbols[1], symbols[2], 0, 0, 0};
}

// Subnets s-1 and s-3 in zone a, s-2 in zone b.
static SubnetStatusVec subnets_of(TestLaunch *test) {
    static const char *const subnets[][2] = {{"s-1", "a"}, {"s-2", "b"}, {"s-3", "a"}};
    SubnetStatusVec status = {0};

    for (size_t i = 0; i < sizeof subnets / sizeof *subnets; i++)
        vec_push(&test->arena, &status,
                 (SubnetStatus){.id = symbol_intern(&test->symbols, slice_of(subnets[i][0])),
                                .zone = symbol_intern(&test->symbols, slice_of(subnets[i][1]))});
    return status;
}

static void assert_choice(TestLaunch *test, const LaunchMask *mask, const char *wanted) {
    InstanceTypeVec types = launch_mask_types(&test->arena, mask, &test->types);
    LaunchChoice choice;

    if (!wanted) {
        assert_int_equal(launch_choose(&test->arena, &test->wish, &types, &choice, NULL), ERR_CAPACITY);
        return;
    }
    assert_int_equal(launch_choose(&test->arena, &test->wish, &types, &choice, NULL), OK);
    assert_string_equal(test_choice_text(test, &choice), wanted);
}

TEST_EACH(const Row, row, marks_turn_the_next_launch, list_rows) {
    TestLaunch *test = test_launch(row->types, row->requirements);
    SliceVec marks = test_parts(&test->arena, slice_of(row->marks), ' ');
    SubnetStatusVec subnets = subnets_of(test);
    UnavailableBook book = {0};
    LaunchMask mask = {.book = &book, .subnets = &subnets, .now_ns = 1};

    for (vec_each(const Slice, text, &marks)) {
        UnavailableMark marked = mark_of(test, *text);

        unavailable_mark(&book, &marked, 0, UNAVAILABLE_FOR_NS);
    }
    assert_choice(test, &mask, row->wanted);
    unavailable_free(&book);
    test_launch_free(test);
}

TEST(cloud_provider_after_three_minutes_it_is_tried_again) {
    TestLaunch *test = test_launch(M5, "ct=spot zone=a");
    SubnetStatusVec subnets = subnets_of(test);
    UnavailableMark marked = mark_of(test, SLICE("spot/m5.large/a"));
    UnavailableBook book = {0};
    LaunchMask mask = {.book = &book, .subnets = &subnets, .now_ns = UNAVAILABLE_FOR_NS - 1};

    unavailable_mark(&book, &marked, 0, UNAVAILABLE_FOR_NS);
    assert_choice(test, &mask, NULL);
    mask.now_ns = UNAVAILABLE_FOR_NS;
    assert_choice(test, &mask, "spot default: m5.large[s:a]");
    unavailable_free(&book);
    test_launch_free(test);
}

TEST(types_without_a_mark_share_their_offerings) {
    TestLaunch *test = test_launch(M5 "; c5.large: s:a:1", "");
    SubnetStatusVec subnets = subnets_of(test);
    UnavailableMark marked = mark_of(test, SLICE("spot/m5.large/a"));
    UnavailableBook book = {0};
    LaunchMask mask = {.book = &book, .subnets = &subnets};
    InstanceTypeVec types;

    unavailable_mark(&book, &marked, 0, UNAVAILABLE_FOR_NS);
    types = launch_mask_types(&test->arena, &mask, &test->types);
    assert_ptr_equal(types.items[1].offerings.items, test->types.items[1].offerings.items);
    assert_false(types.items[0].offerings.items[0].available);
    assert_true(test->types.items[0].offerings.items[0].available);
    unavailable_free(&book);
    test_launch_free(test);
}
