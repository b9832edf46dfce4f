// Types, zones and prices joined, and the instance types computed from them: upstream's areas "instance types" and
// "pricing". Reference aws.md 4.2, 4.4, 4.5.
#include "cloud/aws/instance_types.h"
#include "cloud/aws/live/live_catalogue.h"
#include "cloud/aws/live/type_pages.h"
#include "harness/test.h"

static Arena arena;
static Symbols symbols;
static Ec2Catalogue baked;
static EC2NodeClass class;

static void begin(void) {
    arena = (Arena){0};
    names_init(&symbols);
    class = (EC2NodeClass){.ami_family = SLICE("AL2023")};
    assert_int_equal(ec2_catalogue_parse(&arena, SLICE("ec2.tsv"), ec2_catalogue_embedded(), &baked, NULL), OK);
}

static void end(void) {
    symbols_free(&symbols);
    arena_free(&arena);
}

BEFORE_EACH(begin);
AFTER_EACH(end);

// The types as DescribeInstanceTypes says them, from a list of names.
static Ec2TypeVec *types_named(const char *const *names) {
    Ec2TypeVec *types = arena_new(&arena, Ec2TypeVec);

    for (; *names; names++) {
        const Ec2Type *type = ec2_catalogue_type(&baked, slice_of(*names));

        assert_non_null(type);
        vec_push(&arena, types, *type);
        vec_last(types)->offers = NULL;
    }
    return types;
}

#define TYPES(...) types_named((const char *const[]){__VA_ARGS__, NULL})
#define OFFERS(...)                                                                                                    \
    (&(Ec2ZoneOfferVec){.items = (Ec2ZoneOffer[]){__VA_ARGS__},                                                        \
                        .count = sizeof((Ec2ZoneOffer[]){__VA_ARGS__}) / sizeof(Ec2ZoneOffer)})
#define PRICES(...)                                                                                                    \
    (&(Ec2PriceTable){.items = (Ec2PriceRow[]){__VA_ARGS__},                                                           \
                      .count = sizeof((Ec2PriceRow[]){__VA_ARGS__}) / sizeof(Ec2PriceRow)})
#define S(literal) SLICE_INIT(literal)

static Ec2LiveCatalogue join(const Ec2LiveSources *sources) {
    Ec2LiveCatalogue live;
    Err err = {0};

    if (ec2_live_catalogue(&arena, sources, &live, &err) != OK)
        fail_msg("%s", err.text);
    return live;
}

// "zone capacity-type=price" of available offerings; '~': estimated.
static const char *print_offerings(const Ec2LiveCatalogue *live, const char *name) {
    Ec2TypeOptions options = EC2_TYPE_OPTIONS(live->catalogue.regions.items[0].name);
    InstanceTypeVec types;
    const InstanceType *type;
    Slice text = SLICE("");
    Err err = {0};

    if (ec2_instance_types(&arena, &symbols, &live->catalogue, &options, &class, &types, &err) != OK)
        fail_msg("%s", err.text);
    type = instance_type_find(&types, symbol_intern(&symbols, slice_of(name)));
    if (!type)
        return "none";
    for (vec_each(const Offering, offering, &type->offerings)) {
        if (offering->available)
            text = arena_printf(&arena, "%.*s%s%.*s %.*s=%s%g", SLICE_ARG(text), text.len ? ", " : "",
                                SLICE_ARG(symbol_text(&symbols, offering->zone)),
                                SLICE_ARG(symbol_text(&symbols, offering->capacity_type)),
                                offering->price_estimated ? "~" : "", offering->price_per_hour);
    }
    return arena_text(&arena, text);
}

TEST(the_built_in_catalogue_answers_until_ec2_has) {
    const Ec2LiveSources sources = {.baked = &baked, .region = SLICE("us-east-1")};
    Ec2LiveCatalogue live = join(&sources);
    const Ec2Type *type = ec2_catalogue_type(&live.catalogue, SLICE("m5.large"));

    assert_false(live.is_confirmed);
    assert_int_equal(live.catalogue.regions.count, 1);
    assert_true(live.catalogue.types.count > 1000);
    assert_true(ec2_price_on_demand(&live.catalogue, type, live.catalogue.regions.items) == 0.096);
    assert_int_equal(live.catalogue.regions.items[0].zones[0].id.len, 0); // that of another account
}

// Half of an answer confirms nothing.
TEST(types_without_offerings_confirm_nothing) {
    const Ec2LiveSources sources = {.baked = &baked, .region = SLICE("us-east-1"), .types = TYPES("m5.large")};
    Ec2LiveCatalogue live = join(&sources);

    assert_false(live.is_confirmed);
    assert_true(live.catalogue.types.count > 1000);
}

TEST(what_the_account_is_not_offered_is_not_there) {
    const Ec2LiveSources sources = {.baked = &baked,
                                    .region = SLICE("us-east-1"),
                                    .types = TYPES("c5.large", "m5.large", "m5.xlarge"),
                                    .offers = OFFERS({S("a1.large"), S("us-east-1f")}, {S("m5.large"), S("us-east-1c")},
                                                     {S("m5.large"), S("us-east-1-bos-1a")},
                                                     {S("m5.xlarge"), S("us-east-1c")})};
    Ec2LiveCatalogue live = join(&sources);

    assert_true(live.is_confirmed);
    assert_int_equal(live.catalogue.types.count, 2);
    assert_int_equal(live.catalogue.regions.items[0].zone_count, 3);
    assert_null(ec2_catalogue_type(&live.catalogue, SLICE("c5.large")));
    assert_null(ec2_catalogue_type(&live.catalogue, SLICE("a1.large")));
    assert_string_equal(print_offerings(&live, "m5.large"),
                        "us-east-1-bos-1a on-demand=0.096, us-east-1-bos-1a spot=~0.03264, us-east-1c on-demand=0.096, "
                        "us-east-1c spot=~0.03264");
}

// All of one type in two zones, with what is known of prices.
typedef struct {
    const char *name, *region;
    Ec2PriceRow on_demand[2], spot[2]; // a type of no name: not read; '-': read, without this type
    const char *wanted;
} Row;

#define NO_PRICES                                                                                                      \
    {                                                                                                                  \
        { S(""), S(""), 0 }                                                                                            \
    }

static const Row rows[] = {
    {"pricing: none read yet", "us-east-1", NO_PRICES, NO_PRICES,
     "A on-demand=0.096, A spot=~0.03264, B on-demand=0.096, B spot=~0.03264"},
    {"pricing: on demand read",
     "us-east-1",
     {{S("m5.large"), S(""), 1}},
     NO_PRICES,
     "A on-demand=1, A spot=~0.34, B on-demand=1, B spot=~0.34"},
    {"pricing: spot read",
     "us-east-1",
     NO_PRICES,
     {{S("m5.large"), S("A"), 0.5}, {S("m5.large"), S("B"), 0.25}},
     "A on-demand=0.096, A spot=0.5, B on-demand=0.096, B spot=0.25"},
    {"pricing: both read",
     "us-east-1",
     {{S("m5.large"), S(""), 1}},
     {{S("m5.large"), S("A"), 0.5}, {S("m5.large"), S("B"), 2}},
     "A on-demand=1, A spot=0.5, B on-demand=1, B spot=2"},
    {"pricing: a zone without a spot price has no spot",
     "us-east-1",
     NO_PRICES,
     {{S("m5.large"), S("B"), 0.5}},
     "A on-demand=0.096, B on-demand=0.096, B spot=0.5"},
    {"pricing: a type without a spot price has no spot",
     "us-east-1",
     NO_PRICES,
     {{S("-"), S("A"), 0.5}},
     "A on-demand=0.096, B on-demand=0.096"},
    {"pricing: a type without a price is not available", "us-east-1", {{S("-"), S(""), 1}}, NO_PRICES, ""},
    {"pricing: spot without a price on demand",
     "us-east-1",
     {{S("-"), S(""), 1}},
     {{S("m5.large"), S("A"), 0.5}},
     "A spot=0.5"},
    {"pricing: a region of its own table",
     "cn-north-1",
     NO_PRICES,
     {{S("-"), S("A"), 1}},
     "A on-demand=1.013, B on-demand=1.013"},
    {"pricing: a region without a table starts from us-east-1",
     "mars-east-1",
     NO_PRICES,
     {{S("-"), S("A"), 1}},
     "A on-demand=~0.096, B on-demand=~0.096"},
    {"pricing: in China from its other region",
     "cn-northwest-1",
     NO_PRICES,
     {{S("-"), S("A"), 1}},
     "A on-demand=~1.013, B on-demand=~1.013"},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

static const Ec2PriceTable *table_of(const Ec2PriceRow *prices) {
    Ec2PriceTable *table = arena_new(&arena, Ec2PriceTable);

    for (uint32_t i = 0; i < 2 && prices[i].type.len; i++)
        vec_push(&arena, table, prices[i]);
    return table->count ? table : NULL;
}

TEST_EACH(const Row, row, offerings_have_the_prices_that_are_known, list_rows) {
    const Ec2LiveSources sources = {.baked = &baked,
                                    .region = slice_of(row->region),
                                    .types = TYPES("m5.large"),
                                    .offers = OFFERS({S("m5.large"), S("A")}, {S("m5.large"), S("B")}),
                                    .on_demand = table_of(row->on_demand),
                                    .spot = table_of(row->spot)};
    Ec2LiveCatalogue live = join(&sources);

    assert_string_equal(print_offerings(&live, "m5.large"), row->wanted);
}

TEST(a_catalogue_that_cannot_be_made_says_why) {
    Ec2LiveSources sources = {.baked = &baked, .region = SLICE("mars-east-1")};
    Ec2ZoneOfferVec many = {0};
    Ec2LiveCatalogue live;
    Err err;

    assert_int_equal(ec2_live_catalogue(&arena, &sources, &live, &err), ERR_NOT_FOUND);
    assert_string_equal(err.text, "EC2 has not told the instance types of mars-east-1 yet");
    sources.types = TYPES("m5.large");
    sources.offers = OFFERS({S("m6.large"), S("A")});
    assert_int_equal(ec2_live_catalogue(&arena, &sources, &live, &err), ERR_NOT_FOUND);
    for (int i = 0; i <= EC2_ZONES_MAX; i++)
        vec_push(&arena, &many, (Ec2ZoneOffer){SLICE("m5.large"), arena_printf(&arena, "zone-%02d", i)});
    sources.offers = &many;
    assert_int_equal(ec2_live_catalogue(&arena, &sources, &live, &err), ERR_TOO_LARGE);
    many.count--;
    assert_int_equal(ec2_live_catalogue(&arena, &sources, &live, &err), OK);
    assert_int_equal(live.catalogue.types.items[0].offers->zones, 0x7fffffff);
}

// aws.md 4.1: a zone's id is a label only where it is known, from a subnet.
TEST(zones_without_ids_have_no_label_of_them) {
    const Ec2LiveSources sources = {.baked = &baked,
                                    .region = SLICE("us-east-1"),
                                    .types = TYPES("m5.large"),
                                    .offers = OFFERS({S("m5.large"), S("us-east-1a")})};
    Ec2LiveCatalogue live = join(&sources);
    Ec2TypeOptions options = EC2_TYPE_OPTIONS(SLICE("us-east-1"));
    InstanceTypeVec types;

    assert_int_equal(ec2_instance_types(&arena, &symbols, &live.catalogue, &options, &class, &types, NULL), OK);
    assert_int_equal(requirements_get(&types.items[0].requirements, NAME_ZONE_ID)->values.count, 0);
    assert_null(requirements_get(&types.items[0].offerings.items[0].requirements, NAME_ZONE_ID));
}

// The addresses of pods are those of the default card: aws.md 4.2.
TEST(pods_are_counted_on_the_default_card) {
    Ec2TypeVec *list = TYPES("m5.large");
    const Ec2LiveSources sources = {.baked = &baked,
                                    .region = SLICE("us-east-1"),
                                    .types = list,
                                    .offers = OFFERS({S("m5.large"), S("us-east-1a")})};
    Ec2TypeOptions options = EC2_TYPE_OPTIONS(SLICE("us-east-1"));
    U32Vec cards = {0};
    Ec2LiveCatalogue live;
    InstanceTypeVec types;

    vec_push(&arena, &cards, 3);
    vec_push(&arena, &cards, 7);
    list->items[0].cards = cards;
    list->items[0].default_card = 1;
    live = join(&sources);
    assert_int_equal(ec2_instance_types(&arena, &symbols, &live.catalogue, &options, &class, &types, NULL), OK);
    assert_int_equal(resources_get(&types.items[0].capacity, NAME_PODS), 7 * 9 + 2);
}

// VM_MEMORY_OVERHEAD_PERCENT: m - ceil(m * percent), of whole MiB (aws.md 4.2).
TEST(memory_is_less_the_hypervisors_share) {
    static const struct {
        const char *type;
        double percent;
        int64_t mib;
    } shares[] = {{"m5.large", 0.075, 7577}, {"m5.large", 0, 8192},      {"m5.large", 0.0001, 8191},
                  {"m5.large", 1, 0},        {"m6g.large", 0.075, 7518}, {"m6g.large", 0, 8128}};

    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        const Ec2LiveSources sources = {.baked = &baked, .region = SLICE("us-east-1")};
        Ec2LiveCatalogue live = join(&sources);
        Ec2TypeOptions options = EC2_TYPE_OPTIONS(SLICE("us-east-1"));
        InstanceTypeVec types;
        const InstanceType *type;

        options.vm_memory_overhead_percent = shares[i].percent;
        assert_int_equal(ec2_instance_types(&arena, &symbols, &live.catalogue, &options, &class, &types, NULL), OK);
        type = instance_type_find(&types, symbol_intern(&symbols, slice_of(shares[i].type)));
        assert_int_equal(resources_get(&type->capacity, NAME_MEMORY), shares[i].mib << 20);
    }
}
