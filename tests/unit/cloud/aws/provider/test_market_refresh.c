// Types, zones and prices asked of AWS: upstream's areas "instance types" (pkg/providers/instancetype: refresh) and
// "pricing" (pkg/providers/pricing). Reference aws.md 2.1, 4.4, 4.5.
#include "cloud/support/ec2_answers.h"
#include "cloud/support/provider_world.h"

static ProviderWorld *setup(void) {
    ProviderWorld *w = provider_world("us-east-1", NULL);

    provider_class(w, "default", "");
    return w;
}

FIXTURE(ProviderWorld, setup, provider_world_free);

#define SPOT(type, zone, price)                                                                                        \
    "<item><instanceType>" type "</instanceType><availabilityZone>" zone "</availabilityZone><spotPrice>" price        \
    "</spotPrice><timestamp>2026-11-23T07:00:00Z</timestamp></item>"
#define SPOTS(items, token)                                                                                            \
    "<DescribeSpotPriceHistoryResponse><spotPriceHistorySet>" items "</spotPriceHistorySet>" token                     \
    "</DescribeSpotPriceHistoryResponse>"
#define PRODUCT(type, price)                                                                                           \
    "\"{\\\"product\\\": {\\\"attributes\\\": {\\\"instanceType\\\": \\\"" type "\\\"}}, \\\"terms\\\": "              \
    "{\\\"OnDemand\\\": {\\\"a\\\": {\\\"priceDimensions\\\": {\\\"b\\\": {\\\"pricePerUnit\\\": {\\\"USD\\\": "       \
    "\\\"" price "\\\"}}}}}}}\""
#define PRODUCTS(items, token) "{\"PriceList\": [" items "]" token "}"

#define ASK_TYPES  "Action=DescribeInstanceTypes&"
#define ASK_OFFERS "Action=DescribeInstanceTypeOfferings&"
#define ASK_SPOT   "Action=DescribeSpotPriceHistory&"
#define SHARED     "\"Shared\""
#define METAL      "bare metal"

static void script_types(ProviderWorld *w) {
    provider_script(w, ASK_TYPES, EC2_TYPES(EC2_TYPE("m5.large") EC2_TYPE("m5.xlarge"), ""));
    provider_script(w, ASK_OFFERS,
                    EC2_OFFERS(EC2_OFFER("m5.large", "us-east-1a") EC2_OFFER("m5.large", "us-east-1b")
                                   EC2_OFFER("m5.xlarge", "us-east-1a"),
                               ""));
}

static void script_prices(ProviderWorld *w) {
    provider_script(w, ASK_SPOT,
                    SPOTS(SPOT("m5.large", "us-east-1a", "0.5") SPOT("m5.large", "us-east-1b", "0.6"), ""));
    provider_script(w, SHARED, PRODUCTS(PRODUCT("m5.large", "7.5"), ""));
    provider_script(w, METAL, PRODUCTS(PRODUCT("m5.metal", "70"), ""));
}

static const InstanceTypeVec *types(ProviderWorld *w) {
    return provider_types(w->provider, SLICE("default"));
}

static ErrCode refresh_types(ProviderWorld *w) {
    w->error = (CloudError){0};
    return provider_types_refresh(w->provider, &w->error);
}

static ErrCode refresh_prices(ProviderWorld *w) {
    w->error = (CloudError){0};
    return provider_prices_refresh(w->provider, &w->error);
}

static double price(ProviderWorld *w, const char *name, Symbol capacity_type, const char *zone) {
    const InstanceType *type = instance_type_find(types(w), provider_word(w, name));

    assert_non_null(type);
    for (vec_each(const Offering, offering, &type->offerings)) {
        if (offering->capacity_type == capacity_type && offering->zone == provider_word(w, zone))
            return offering->price_per_hour;
    }
    return 0;
}

// --- types and zones

TEST_F(ProviderWorld, w, the_built_in_types_answer_until_ec2_has) {
    assert_true(types(w)->count > 1000);
    script_types(w);
    assert_int_equal(refresh_types(w), OK);
    assert_int_equal(types(w)->count, 2);
    assert_string_equal(provider_offers(w, "default", "m5.large"), "spot:a+b+ on-demand:a+b+");
    assert_string_equal(provider_offers(w, "default", "m5.xlarge"), "spot:a+b- on-demand:a+b-");
    assert_true(provider_market_is_confirmed(w->provider));
    assert_true(provider_logged(w, "discovered instance types [us-east-1] 2"));
}

TEST_F(ProviderWorld, w, pages_of_types_and_zones_are_one_list) {
    provider_script_reply(w, (Scripted){ASK_TYPES, NULL, {.body = EC2_TYPES(EC2_TYPE("m5.large"), EC2_NEXT)}, 1, 0});
    provider_script(w, ASK_TYPES, EC2_TYPES(EC2_TYPE("m5.xlarge"), ""));
    provider_script_reply(
        w, (Scripted){ASK_OFFERS, NULL, {.body = EC2_OFFERS(EC2_OFFER("m5.large", "us-east-1a"), EC2_NEXT)}, 1, 0});
    provider_script(w, ASK_OFFERS, EC2_OFFERS(EC2_OFFER("m5.xlarge", "us-east-1a"), ""));
    assert_int_equal(refresh_types(w), OK);
    assert_int_equal(types(w)->count, 2);
}

// A failure of one of the two lists.
typedef struct {
    const char *name, *has;
    MemoryReply reply;
    bool at_second_page;
    ErrCode code;
    const char *text;
} FailureRow;

static const FailureRow type_failures[] = {
    {"instance types: throttled", ASK_TYPES, EC2_THROTTLED, false, ERR_THROTTLED, "cannot list instance types"},
    {"instance types: denied", ASK_TYPES, EC2_DENIED, false, ERR_DENIED, "UnauthorizedOperation"},
    {"instance types: no answer", ASK_TYPES, {.code = ERR_IO}, false, ERR_IO, "cannot list instance types"},
    {"instance types: a portal's page", ASK_TYPES, {.body = "<html/>"}, false, ERR_INVALID, "DescribeInstanceTypes"},
    {"instance types: none", ASK_TYPES, {.body = EC2_TYPES("", "")}, false, ERR_IO, "cannot list instance types"},
    {"instance types: half of the pages", ASK_TYPES, EC2_THROTTLED, true, ERR_THROTTLED, "cannot list instance types"},
    {"instance types: one that cannot be read fails the list",
     ASK_TYPES,
     {.body = EC2_TYPES("<item><instanceType>m5.large</instanceType></item>", "")},
     false,
     ERR_INVALID,
     "m5.large"},
    {"offerings: throttled", ASK_OFFERS, EC2_THROTTLED, false, ERR_THROTTLED, "zones of instance types"},
    {"offerings: half of the pages", ASK_OFFERS, {.code = ERR_TIMEOUT}, true, ERR_TIMEOUT, "zones of instance types"},
    {"offerings: none", ASK_OFFERS, {.body = EC2_OFFERS("", "")}, false, ERR_IO, "zones of instance types"},
    {"offerings: of no type that is known",
     ASK_OFFERS,
     {.body = EC2_OFFERS(EC2_OFFER("x9.large", "us-east-1a"), "")},
     false,
     ERR_IO,
     "offers none"},
};

static void list_type_failures(TestCases *cases) {
    for (size_t i = 0; i < sizeof type_failures / sizeof *type_failures; i++)
        test_case(cases, type_failures[i].name, (void *)(uintptr_t)&type_failures[i]);
}

static void script_failure(ProviderWorld *w, const FailureRow *row, const char *first_page) {
    if (row->at_second_page)
        provider_script_reply(w, (Scripted){row->has, NULL, {.body = first_page}, 1, 0});
    provider_script_reply(w, (Scripted){row->has, NULL, row->reply, 0, 0});
}

TEST_EACH(const FailureRow, row, a_list_that_fails_leaves_what_was_known, list_type_failures) {
    ProviderWorld *w = setup();
    const InstanceTypeVec *before;

    script_types(w);
    assert_int_equal(refresh_types(w), OK);
    before = types(w);
    provider_script_end(w);
    script_failure(w, row,
                   !strcmp(row->has, ASK_TYPES) ? EC2_TYPES(EC2_TYPE("m5.large"), EC2_NEXT)
                                                : EC2_OFFERS(EC2_OFFER("m5.large", "us-east-1a"), EC2_NEXT));
    script_types(w);
    assert_int_equal(refresh_types(w), row->code);
    assert_non_null(strstr(w->error.err.text, row->text));
    assert_ptr_equal(types(w), before);
    assert_true(provider_market_is_confirmed(w->provider));
    provider_world_free(w);
}

TEST_EACH(const FailureRow, row, a_first_list_that_fails_confirms_nothing, list_type_failures) {
    ProviderWorld *w = setup();

    script_failure(w, row,
                   !strcmp(row->has, ASK_TYPES) ? EC2_TYPES(EC2_TYPE("m5.large"), EC2_NEXT)
                                                : EC2_OFFERS(EC2_OFFER("m5.large", "us-east-1a"), EC2_NEXT));
    script_types(w);
    assert_int_equal(refresh_types(w), row->code);
    assert_false(provider_market_is_confirmed(w->provider));
    assert_true(types(w)->count > 1000);
    provider_world_free(w);
}

TEST_F(ProviderWorld, w, half_of_what_is_needed_confirms_nothing_and_the_other_half_does) {
    provider_script_reply(w, (Scripted){ASK_OFFERS, NULL, EC2_DENIED, 1, 0});
    script_types(w);
    assert_int_equal(refresh_types(w), ERR_DENIED);
    assert_false(provider_market_is_confirmed(w->provider));
    assert_int_equal(refresh_types(w), OK);
    assert_true(provider_market_is_confirmed(w->provider));
    assert_int_equal(types(w)->count, 2);
}

TEST_F(ProviderWorld, w, a_list_that_says_the_same_leaves_the_types_where_they_are) {
    const InstanceTypeVec *before;

    script_types(w);
    assert_int_equal(refresh_types(w), OK);
    before = types(w);
    assert_int_equal(refresh_types(w), OK);
    assert_ptr_equal(types(w), before);
}

TEST_F(ProviderWorld, w, marks_outlast_a_refresh) {
    script_types(w);
    provider_mark_offering(w, "spot", "m5.large", "us-east-1a");
    assert_int_equal(refresh_types(w), OK);
    assert_string_equal(provider_offers(w, "default", "m5.large"), "spot:a-b+ on-demand:a+b+");
}

TEST_F(ProviderWorld, w, classes_that_come_later_have_the_live_types) {
    script_types(w);
    assert_int_equal(refresh_types(w), OK);
    provider_class(w, "later", "  kubelet: {maxPods: 9}\n");
    assert_int_equal(provider_types(w->provider, SLICE("later"))->count, 2);
}

static ProviderWorld *setup_nowhere(void) {
    return provider_world("xx-south-9", NULL);
}

#define SOUTH "status:\n  subnets: [{id: s, zone: xx-south-9a, zoneID: xxs9-az1}]\n"

TEST(a_region_that_is_not_built_in_has_types_when_ec2_has_told_both_lists) {
    ProviderWorld *w = setup_nowhere();

    provider_class(w, "default", SOUTH);
    assert_null(types(w));
    provider_script(w, ASK_TYPES, EC2_TYPES(EC2_TYPE("m5.large"), ""));
    provider_script_reply(w, (Scripted){ASK_OFFERS, NULL, EC2_THROTTLED, 3, 0});
    provider_script(w, ASK_OFFERS, EC2_OFFERS(EC2_OFFER("m5.large", "xx-south-9a"), ""));
    assert_int_equal(refresh_types(w), ERR_THROTTLED);
    assert_null(types(w));
    assert_int_equal(refresh_types(w), OK);
    assert_string_equal(provider_offers(w, "default", "m5.large"), "spot:a+ on-demand:a+");
    provider_world_free(w);
}

// --- prices

TEST_F(ProviderWorld, w, prices_replace_the_built_in_ones) {
    script_types(w);
    script_prices(w);
    assert_int_equal(refresh_types(w), OK);
    assert_float_equal(price(w, "m5.large", NAME_ON_DEMAND, "us-east-1a"), 0.096, 1e-9);
    assert_int_equal(refresh_prices(w), OK);
    assert_float_equal(price(w, "m5.large", NAME_ON_DEMAND, "us-east-1a"), 7.5, 1e-9);
    assert_float_equal(price(w, "m5.large", NAME_SPOT, "us-east-1a"), 0.5, 1e-9);
    assert_float_equal(price(w, "m5.large", NAME_SPOT, "us-east-1b"), 0.6, 1e-9);
}

TEST_F(ProviderWorld, w, a_type_without_a_price_is_unavailable) {
    script_types(w);
    script_prices(w);
    assert_int_equal(refresh_types(w), OK);
    assert_int_equal(refresh_prices(w), OK);
    assert_string_equal(provider_offers(w, "default", "m5.xlarge"), "spot:a-b- on-demand:a-b-");
}

TEST_F(ProviderWorld, w, the_price_list_is_asked_in_its_own_region) {
    script_prices(w);
    assert_int_equal(refresh_prices(w), OK);
    assert_int_equal(provider_asked(w, "api.pricing.us-east-1.amazonaws.com"), 2);
}

static const FailureRow price_failures[] = {
    {"pricing: spot throttled", ASK_SPOT, EC2_THROTTLED, false, ERR_THROTTLED, "spot prices"},
    {"pricing: spot denied", ASK_SPOT, EC2_DENIED, false, ERR_DENIED, "spot prices"},
    {"pricing: half of the spot prices", ASK_SPOT, {.code = ERR_IO}, true, ERR_IO, "spot prices"},
    {"pricing: no spot price", ASK_SPOT, {.body = SPOTS("", "")}, false, ERR_IO, "spot prices"},
    {"pricing: on demand denied",
     SHARED,
     {.status = 400, .body = "{\"__type\": \"AccessDeniedException\"}"},
     false,
     ERR_DENIED,
     "the price list"},
    {"pricing: half of the on-demand prices", SHARED, {.code = ERR_IO}, true, ERR_IO, "the price list"},
    {"pricing: the list of machines is empty", SHARED, {.body = PRODUCTS("", "")}, false, ERR_IO, "the price list"},
    {"pricing: the list of bare metal fails", METAL, {.code = ERR_TIMEOUT}, false, ERR_TIMEOUT, "the price list"},
    {"pricing: the list of bare metal is empty", METAL, {.body = PRODUCTS("", "")}, false, ERR_IO, "the price list"},
    {"pricing: a document that is none is no reason, a list without any is",
     SHARED,
     {.body = PRODUCTS("\"x\"", "")},
     false,
     ERR_IO,
     "the price list"},
};

static void list_price_failures(TestCases *cases) {
    for (size_t i = 0; i < sizeof price_failures / sizeof *price_failures; i++)
        test_case(cases, price_failures[i].name, (void *)(uintptr_t)&price_failures[i]);
}

// What fails keeps its prices; the other table is taken.
TEST_EACH(const FailureRow, row, prices_that_fail_stay, list_price_failures) {
    ProviderWorld *w = setup();
    bool is_spot = !strcmp(row->has, ASK_SPOT);

    script_types(w);
    script_prices(w);
    assert_int_equal(refresh_types(w), OK);
    assert_int_equal(refresh_prices(w), OK);
    provider_script_end(w);
    script_failure(w, row,
                   is_spot ? SPOTS(SPOT("m5.large", "us-east-1a", "0.9"), EC2_NEXT)
                           : PRODUCTS(PRODUCT("m5.large", "9"), ", \"NextToken\": \"n\""));
    provider_script(w, ASK_SPOT, SPOTS(SPOT("m5.large", "us-east-1a", "0.8"), ""));
    provider_script(w, SHARED, PRODUCTS(PRODUCT("m5.large", "8.5"), ""));
    provider_script(w, METAL, PRODUCTS(PRODUCT("m5.metal", "80"), ""));
    assert_int_equal(refresh_prices(w), row->code);
    assert_non_null(strstr(w->error.err.text, row->text));
    assert_float_equal(price(w, "m5.large", NAME_SPOT, "us-east-1a"), is_spot ? 0.5 : 0.8, 1e-9);
    assert_float_equal(price(w, "m5.large", NAME_ON_DEMAND, "us-east-1a"), is_spot ? 8.5 : 7.5, 1e-9);
    provider_world_free(w);
}

TEST_F(ProviderWorld, w, spot_prices_that_the_answer_lacks_stay) {
    script_types(w);
    script_prices(w);
    assert_int_equal(refresh_types(w), OK);
    assert_int_equal(refresh_prices(w), OK);
    provider_script_end(w);
    provider_script(w, ASK_SPOT, SPOTS(SPOT("m5.large", "us-east-1a", "0.7"), ""));
    script_prices(w);
    assert_int_equal(refresh_prices(w), OK);
    assert_float_equal(price(w, "m5.large", NAME_SPOT, "us-east-1a"), 0.7, 1e-9);
    assert_float_equal(price(w, "m5.large", NAME_SPOT, "us-east-1b"), 0.6, 1e-9);
}

TEST_F(ProviderWorld, w, equal_prices_leave_the_types_where_they_are) {
    const InstanceTypeVec *before;

    script_types(w);
    script_prices(w);
    assert_int_equal(refresh_types(w), OK);
    assert_int_equal(refresh_prices(w), OK);
    before = types(w);
    assert_int_equal(refresh_prices(w), OK);
    assert_ptr_equal(types(w), before);
}

static void assert_no_price_list(const char *region, bool isolated) {
    AwsProviderSettings settings = AWS_PROVIDER_SETTINGS;
    ProviderWorld *w;

    settings.isolated_vpc = isolated;
    w = provider_world(region, &settings);
    provider_script(w, ASK_SPOT, SPOTS(SPOT("m5.large", "us-east-1a", "0.5"), ""));
    assert_int_equal(refresh_prices(w), OK);
    assert_int_equal(provider_asked(w, "pricing"), 0);
    assert_int_equal(provider_asked(w, ASK_SPOT), 1);
    provider_world_free(w);
}

TEST(an_isolated_vpc_has_no_price_list_but_spot_prices) {
    assert_no_price_list("us-east-1", true);
}

TEST(govcloud_has_no_price_list_but_spot_prices) {
    assert_no_price_list("us-gov-west-1", false);
}

TEST_F(ProviderWorld, w, memory_of_the_former_list_lives_while_a_ticket_of_before_is_held) {
    uint64_t ticket = provider_types_hold(w->provider);
    const InstanceTypeVec *before = types(w);
    uint32_t count = before->count;

    script_types(w);
    assert_int_equal(refresh_types(w), OK);
    memory_pass(w->memory, 2 * NS_PER_HOUR);
    assert_int_equal(types(w)->count, 2);
    assert_int_equal(before->count, count);
    assert_true(before->items[count - 1].offerings.count > 0);
    provider_types_release(w->provider, ticket);
}
