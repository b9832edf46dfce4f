// What metrics show of types and offerings: upstream's area "cloud provider metrics" (reference aws.md 9.1; controller
// cloudprovider.metrics).
#include "cloud/aws/market/market_facts.h"
#include "cloud/support/offers.h"
#include "harness/test.h"

typedef struct {
    const char *name;
    const char *first, *second; // lists of two NodeClasses
    bool has_reserved;
    const char *wanted; // "m5.large/spot/a+0.05", "-": not available, no price: not known
} Row;

#define SHOWN "cloud provider: metrics: "

static const Row rows[] = {
    {SHOWN "each offering", "m5.large: s:a:0.05 o:a:0.1", "", false, "m5.large/spot/a+0.05 m5.large/on-demand/a+0.1"},
    {SHOWN "one that is not available", "m5.large: !s:a:0.05", "", false, "m5.large/spot/a-0.05"},
    {SHOWN "one that another class can use", "m5.large: !s:a:0.05", "m5.large: s:a:0.05", false,
     "m5.large/spot/a+0.05"},
    {SHOWN "the same of both is one", "m5.large: s:a:0.05", "m5.large: s:a:0.05", false, "m5.large/spot/a+0.05"},
    {SHOWN "a type of one class alone", "m5.large: s:a:0.05", "c5.large: o:b:0.08", false,
     "m5.large/spot/a+0.05 c5.large/on-demand/b+0.08"},
    {SHOWN "the cheapest price that is known", "m5.large: s:a:0.07", "m5.large: s:a:0.05", false,
     "m5.large/spot/a+0.05"},
    {SHOWN "no price is none", "m5.large: s:a:0", "m5.large: s:a:0.05", false, "m5.large/spot/a+0.05"},
    {SHOWN "no price at all", "m5.large: s:a:0", "", false, "m5.large/spot/a+"},
    {SHOWN "two reservations are one offering", "m5.large: !r:a:0.01:cr-1:0 r:a:0.01:cr-2:3", "", true,
     "m5.large/reserved/a+0.01"},
    // reference aws.md 9.1: with the gate each type and zone has a reserved offering, of availability 0
    {SHOWN "with the gate zones without a reservation have none", "m5.large: s:a:0.05 s:b:0.06", "", true,
     "m5.large/spot/a+0.05 m5.large/reserved/a- m5.large/spot/b+0.06 m5.large/reserved/b-"},
    {SHOWN "nothing", "", "", true, ""},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

static const char *offerings_text(Arena *arena, const MarketFacts *facts) {
    Slice text = SLICE("");

    for (vec_each(const OfferingFact, offering, &facts->offerings)) {
        Slice price = offering->price_per_hour > 0 ? arena_printf(arena, "%g", offering->price_per_hour) : (Slice){0};

        text = arena_printf(arena, "%.*s%s%.*s/%.*s/%.*s%s%.*s", SLICE_ARG(text), text.len ? " " : "",
                            SLICE_ARG(offering->type), SLICE_ARG(offering->capacity_type), SLICE_ARG(offering->zone),
                            offering->is_available ? "+" : "-", SLICE_ARG(price));
    }
    return arena_text(arena, text);
}

TEST_EACH(const Row, row, offerings_of_all_classes_are_shown_once, list_rows) {
    TestLaunch *test = test_launch(row->first, "");
    InstanceTypeVec second = test_types(&test->arena, &test->symbols, row->second);
    MarketFacts facts = {0};

    market_facts_add(&test->arena, &test->symbols, &facts, &test->types, row->has_reserved);
    market_facts_add(&test->arena, &test->symbols, &facts, &second, row->has_reserved);
    market_facts_add(&test->arena, &test->symbols, &facts, &test->types, row->has_reserved); // shared by a third class
    assert_string_equal(offerings_text(&test->arena, &facts), row->wanted);
    test_launch_free(test);
}

TEST(cloud_provider_metrics_types_once_with_what_they_have) {
    TestLaunch *test = test_launch("m5.large cpu=2: s:a:1; m5.xlarge cpu=4: o:a:1", "");
    InstanceTypeVec second = test_types(&test->arena, &test->symbols, "m5.large cpu=2: o:b:1");
    MarketFacts facts = {0};

    market_facts_add(&test->arena, &test->symbols, &facts, &test->types, false);
    market_facts_add(&test->arena, &test->symbols, &facts, &second, false);
    assert_int_equal(facts.types.count, 2);
    assert_true(slice_eq_text(facts.types.items[1].name, "m5.xlarge"));
    assert_int_equal(facts.types.items[1].milli_cpus, 4000);
    test_launch_free(test);
}
