// Which types and offerings a launch asks for: upstream's area "instances and filters" (pkg/providers/instance/filter,
// pkg/providers/instance/suite_test.go). Reference aws.md 3.2; the rows R045 to R047, R058, R103 of legacy.md.
#include "cloud/support/offers.h"
#include "harness/test.h"

typedef struct {
    const char *name, *types;
    const char *requirements; // "~" before them: minValues are wishes
    const char *wanted;       // NULL: no capacity
} Row;

#define AREA "instances and filters: "

static const Row rows[] = {
    // compatible-available
    {AREA "R047: offerings of other zones are dropped", "m5.large: o:a:1 o:b:1 o:c:1", "zone=a|c",
     "on-demand default: m5.large[o:a o:c] inflexible"},
    {AREA "R045: both architectures stay", "m5.large: o:a:1; m6g.large arch=arm64: o:a:1", "arch=arm64|amd64",
     "on-demand default: m5.large[o:a] m6g.large[o:a] inflexible"},
    {AREA "another architecture is dropped", "m5.large: o:a:1; m6g.large arch=arm64: o:a:1", "arch=arm64",
     "on-demand default: m6g.large[o:a] inflexible"},
    {AREA "R132: only the type that is named", "t4g.medium: o:a:1; m5.large: o:a:1", "type=t4g.medium",
     "on-demand default: t4g.medium[o:a] inflexible"},
    {AREA "a type that is excluded is dropped", "t4g.medium: o:a:1; m5.large: o:a:1", "!type=t4g.medium",
     "on-demand default: m5.large[o:a] inflexible"},
    {AREA "unavailable offerings are dropped", "m5.large: !o:a:1 o:b:1", "",
     "on-demand default: m5.large[o:b] inflexible"},
    {AREA "a type without an available offering is dropped", "m5.large: !o:a:1; c5.large: o:a:2", "",
     "on-demand default: c5.large[o:a] inflexible"},
    {AREA "a type that is too small is dropped", "t3.nano cpu=0: o:a:1; c5.large: o:a:2", "",
     "on-demand default: c5.large[o:a] inflexible"},
    {AREA "no type is compatible", "m5.large: o:a:1", "zone=z", NULL},
    {AREA "no type is large enough", "m5.large cpu=0: o:a:1", "", NULL},
    {AREA "no offering is available", "m5.large: !o:a:1 !s:a:1", "", NULL},
    {AREA "no offering of the capacity type", "m5.large: o:a:1", "ct=spot", NULL},
    {AREA "no types at all", "", "", NULL},
    // capacity types
    {AREA "R046: spot before on demand", "m5.large: o:a:2 s:a:1", "ct=spot|on-demand", "spot default: m5.large[s:a]"},
    {AREA "R104: several types, spot among them", "m5.large: o:a:3 s:a:1; c5.large: o:a:2 s:b:1.2; r5.large: s:c:1.5",
     "ct=spot|on-demand", "spot default: m5.large[s:a] c5.large[s:b] r5.large[s:c]"},
    {AREA "R046: on demand where no spot offering is available", "m5.large: o:a:2 !s:a:1", "ct=spot|on-demand",
     "on-demand default: m5.large[o:a] inflexible"},
    {AREA "without a requirement spot counts", "m5.large: o:a:2 s:a:1", "", "spot default: m5.large[s:a]"},
    {AREA "on demand alone is not worth a warning", "m5.large: o:a:2", "ct=on-demand",
     "on-demand default: m5.large[o:a]"},
    {AREA "five types on demand are flexible enough", "a.l: o:a:1; b.l: o:a:1; c.l: o:a:1; d.l: o:a:1; e.l: o:a:1",
     "ct=spot|on-demand", "on-demand default: a.l[o:a] b.l[o:a] c.l[o:a] d.l[o:a] e.l[o:a]"},
    {AREA "four types on demand are not", "a.l: o:a:1; b.l: o:a:1; c.l: o:a:1; d.l: o:a:1", "ct=spot|on-demand",
     "on-demand default: a.l[o:a] b.l[o:a] c.l[o:a] d.l[o:a] inflexible"},
    {AREA "types without the capacity type are not asked for", "m5.large: s:a:1; c5.large: o:a:2", "",
     "spot default: m5.large[s:a]"},
    // tenancy
    {AREA "tenancy is default where it is allowed", "m5.large: o:a:1", "ct=on-demand tenancy=default|dedicated",
     "on-demand default: m5.large[o:a]"},
    {AREA "tenancy is dedicated where only that is allowed", "m5.large: o:a:1", "ct=on-demand tenancy=dedicated",
     "on-demand dedicated: m5.large[o:a]"},
    // order
    {AREA "R103: the cheapest type comes first", "m5.large: o:a:3; c5.large: o:a:1; r5.large: o:a:2", "ct=on-demand",
     "on-demand default: c5.large[o:a] r5.large[o:a] m5.large[o:a]"},
    {AREA "a type counts with its cheapest offering", "m5.large: o:a:3 o:b:1; c5.large: o:a:2", "ct=on-demand",
     "on-demand default: m5.large[o:a o:b] c5.large[o:a]"},
    {AREA "equal prices are decided by name", "m5.large: o:a:1; c5.large: o:a:1", "ct=on-demand",
     "on-demand default: c5.large[o:a] m5.large[o:a]"},
    {AREA "the price of an offering that is not asked for does not count", "m5.large: o:a:3 !o:b:1; c5.large: o:a:2",
     "ct=on-demand", "on-demand default: c5.large[o:a] m5.large[o:a]"},
    // reservations
    {AREA "reserved before spot", "m5.large: o:a:2 s:a:1 r:a:0.1:cr-1:3", "", "reserved default: m5.large[r:a:cr-1]"},
    {AREA "a reservation is not used where it is not allowed", "m5.large: o:a:2 r:a:0.1:cr-1:3", "ct=on-demand",
     "on-demand default: m5.large[o:a]"},
    {AREA "a full reservation is none", "m5.large: o:a:2 r:a:0.1:cr-1:0", "ct=reserved|on-demand",
     "on-demand default: m5.large[o:a]"},
    {AREA "a full reservation alone is no capacity", "m5.large: r:a:0.1:cr-1:0", "ct=reserved", NULL},
    {AREA "an unavailable reservation is none", "m5.large: o:a:2 !r:a:0.1:cr-1:4", "ct=reserved|on-demand",
     "on-demand default: m5.large[o:a]"},
    {AREA "types without a reservation are dropped", "m5.large: o:a:2 r:a:0.2:cr-1:3; c5.large: o:a:1", "",
     "reserved default: m5.large[r:a:cr-1]"},
    {AREA "the reservation that is named", "m5.large: r:a:0.1:cr-1:3 r:a:0.1:cr-2:9", "crid=cr-1",
     "reserved default: m5.large[r:a:cr-1]"},
    {AREA "ordinary reservations where they are cheapest", "m5.large: r:a:1:cr-1:3; c5.large: r:a:2:cr-2:3:int", "",
     "reserved default: m5.large[r:a:cr-1]"},
    {AREA "interruptible reservations where they are cheapest", "m5.large: r:a:3:cr-1:3; c5.large: r:a:2:cr-2:3:int",
     "", "reserved default: c5.large[r:a:cr-2]"},
    {AREA "capacity blocks where they are cheapest", "m5.large: r:a:3:cr-1:3; c5.large: r:a:2:cr-2:3:block", "",
     "reserved default: c5.large[r:a:cr-2]"},
    {AREA "of equal prices ordinary reservations", "m5.large: r:a:2:cr-1:3:int r:a:2:cr-3:1:block r:a:2:cr-2:3", "",
     "reserved default: m5.large[r:a:cr-2]"},
    {AREA "of equal prices blocks before interruptible ones", "m5.large: r:a:2:cr-1:3:int r:a:2:cr-3:1:block", "",
     "reserved default: m5.large[r:a:cr-3]"},
    {AREA "other kinds of the same type go", "m5.large: r:a:2:cr-1:3 r:b:3:cr-2:3:int", "",
     "reserved default: m5.large[r:a:cr-1]"},
    {AREA "one offering of a capacity block", "p5.48xlarge: r:a:2:cr-1:3:block r:b:1:cr-2:3:block", "",
     "reserved default: p5.48xlarge[r:b:cr-2]"},
    {AREA "one type of capacity blocks", "p5.48xlarge: r:a:2:cr-1:3:block; p4d.24xlarge: r:a:1:cr-2:3:block", "",
     "reserved default: p4d.24xlarge[r:a:cr-2]"},
    {AREA "of a zone the reservation with most room", "m5.large: r:a:1:cr-1:3 r:a:1:cr-2:5 r:a:1:cr-3:4", "",
     "reserved default: m5.large[r:a:cr-2]"},
    {AREA "of equal room the first reservation", "m5.large: r:a:1:cr-1:3 r:a:1:cr-2:3", "",
     "reserved default: m5.large[r:a:cr-1]"},
    {AREA "a reservation for each zone", "m5.large: r:a:1:cr-1:3 r:b:1:cr-2:5", "",
     "reserved default: m5.large[r:a:cr-1 r:b:cr-2]"},
    {AREA "a reservation for each type", "m5.large: r:a:1:cr-1:3; c5.large: r:a:1:cr-2:5", "",
     "reserved default: c5.large[r:a:cr-2] m5.large[r:a:cr-1]"},
    // exotic
    {AREA "metal is dropped where others do", "m5.metal: o:a:1; m5.large: o:a:2", "ct=on-demand",
     "on-demand default: m5.large[o:a]"},
    {AREA "metal of a number is dropped, too", "m7i.metal-24xl: o:a:1; m5.large: o:a:2", "ct=on-demand",
     "on-demand default: m5.large[o:a]"},
    {AREA "metal stays where it is all", "m5.metal: o:a:1; c5.metal: o:a:2", "ct=on-demand",
     "on-demand default: m5.metal[o:a] c5.metal[o:a]"},
    {AREA "R107: GPUs are dropped where others do", "g5.xlarge gpu=1: o:a:1; m5.large: o:a:2", "ct=on-demand",
     "on-demand default: m5.large[o:a]"},
    {AREA "R107: neuron devices are dropped where others do", "inf2.xlarge neuron=1: o:a:1; m5.large: o:a:2",
     "ct=on-demand", "on-demand default: m5.large[o:a]"},
    {AREA "R107: gaudi is dropped where others do", "dl1.24xlarge gaudi=8: o:a:1; m5.large: o:a:2", "ct=on-demand",
     "on-demand default: m5.large[o:a]"},
    {AREA "GPUs stay where they are all", "g5.xlarge gpu=1: o:a:1", "ct=on-demand",
     "on-demand default: g5.xlarge[o:a]"},
    {AREA "with minValues nothing is exotic", "m5.metal: o:a:1; m5.large: o:a:2",
     "ct=on-demand type=m5.metal|m5.large:2", "on-demand default: m5.metal[o:a] m5.large[o:a]"},
    // dear spot
    {AREA "spot dearer than on demand is dropped", "m5.large: o:a:2 s:a:3 s:b:1", "", "spot default: m5.large[s:b]"},
    {AREA "spot of another type dearer than on demand is dropped", "m5.large: o:a:2; c5.large: s:a:3; r5.large: s:a:1",
     "", "spot default: r5.large[s:a]"},
    {AREA "spot as dear as on demand stays", "m5.large: o:a:2 s:a:2", "", "spot default: m5.large[s:a]"},
    {AREA "all spot dearer: on demand", "m5.large: o:a:2 s:a:3", "", "on-demand default: m5.large[o:a] inflexible"},
    {AREA "without on demand spot may cost what it does", "m5.large: s:a:3 s:b:1", "",
     "spot default: m5.large[s:a s:b]"},
    {AREA "where on demand is not allowed its price does not count", "m5.large: o:a:2 s:a:3", "ct=spot",
     "spot default: m5.large[s:a]"},
    {AREA "with minValues spot may be dear", "m5.large: o:a:2 s:a:3; c5.large: s:a:4",
     "ct=spot|on-demand type=m5.large|c5.large:2", "spot default: m5.large[s:a] c5.large[s:a]"},
    // minValues
    {AREA "minValues that are met", "m5.large: o:a:1; c5.large: o:a:2", "ct=on-demand type=m5.large|c5.large:2",
     "on-demand default: m5.large[o:a] c5.large[o:a]"},
    {AREA "minValues that are not met", "m5.large: o:a:1; c5.large: !o:a:2", "ct=on-demand type=m5.large|c5.large:2",
     NULL},
    {AREA "minValues as wishes", "m5.large: o:a:1; c5.large: !o:a:2", "~ct=on-demand type=m5.large|c5.large:2",
     "on-demand default: m5.large[o:a]"},
    {AREA "minValues count values that the claim allows", "m5.large: o:a:1; m6g.large arch=arm64: o:a:1",
     "ct=on-demand arch=amd64|riscv:2", NULL},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

TEST_EACH(const Row, row, launches_choose, list_rows) {
    bool lenient = row->requirements[0] == '~';
    TestLaunch *test = test_launch(row->types, row->requirements + lenient);
    LaunchChoice choice = {0};
    CloudError error = {0};
    ErrCode code;

    test->wish.min_values_strict = !lenient;
    code = launch_choose(&test->arena, &test->wish, &test->types, &choice, &error);
    if (row->wanted) {
        assert_int_equal(code, OK);
        assert_string_equal(test_choice_text(test, &choice), row->wanted);
    } else {
        assert_int_equal(code, ERR_CAPACITY);
        assert_int_equal(error.err.code, ERR_CAPACITY);
        assert_true(error.err.text[0] != '\0');
    }
    test_launch_free(test);
}

static Slice many_types(Arena *arena, int count) {
    Slice text = SLICE("");

    for (int i = 0; i < count; i++)
        text = arena_printf(arena, "%.*sm%03d.large: o:a:%d;", SLICE_ARG(text), i, count - i);
    return text;
}

// R058: at most 60 types.
TEST(the_sixty_cheapest_types_are_asked_for) {
    Arena arena = {0};
    TestLaunch *test = test_launch(many_types(&arena, 70).ptr, "ct=on-demand");
    LaunchChoice choice;

    assert_int_equal(launch_choose(&arena, &test->wish, &test->types, &choice, NULL), OK);
    assert_int_equal(choice.types.count, LAUNCH_TYPES_MAX);
    assert_true(slice_eq_text(symbol_text(&test->symbols, choice.types.items[0].name), "m069.large"));
    assert_true(slice_eq_text(symbol_text(&test->symbols, choice.types.items[59].name), "m010.large"));
    test_launch_free(test);
    arena_free(&arena);
}

TEST(the_list_of_types_is_not_changed) {
    TestLaunch *test = test_launch("m5.large: o:a:2 s:a:3 s:b:1 !o:c:1; m5.metal: o:a:1", "");
    LaunchChoice choice;

    assert_int_equal(launch_choose(&test->arena, &test->wish, &test->types, &choice, NULL), OK);
    assert_int_equal(test->types.count, 2);
    assert_int_equal(test->types.items[0].offerings.count, 4);
    assert_true(test->types.items[0].offerings.items[1].price_per_hour == 3);
    test_launch_free(test);
}

// An offering whose override makes the type too small for the claim is not asked for.
TEST(an_offering_counts_with_its_own_capacity) {
    TestLaunch *test = test_launch("m5.large: o:a:1 o:b:1", "ct=on-demand");
    Offering *offering = &test->types.items[0].offerings.items[0];
    LaunchChoice choice;

    offering->has_override = true;
    resources_set(&test->arena, &offering->capacity_override, NAME_CPU, 500);
    assert_int_equal(launch_choose(&test->arena, &test->wish, &test->types, &choice, NULL), OK);
    assert_string_equal(test_choice_text(test, &choice), "on-demand default: m5.large[o:b]");
    test_launch_free(test);
}
