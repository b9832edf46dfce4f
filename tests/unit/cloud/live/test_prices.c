// On-demand and spot prices from the answers of AWS: upstream's area "pricing" (pkg/providers/pricing). Reference
// aws.md 4.5.
#include "cloud/aws/live/price_list.h"
#include "cloud/aws/live/spot_history.h"
#include "harness/test.h"
#include "text/duration.h"

static Arena arena;

static void end(void) {
    arena_free(&arena);
    arena = (Arena){0};
}

AFTER_EACH(end);

// Of what the lists hold, what is left: "type[@zone]=price …", or the word of the error.
typedef struct {
    const char *name;
    const char *shared, *metal; // "type=currency:price …"; '+' at the end: there is a further page
    const char *wanted;
    uint32_t ignored;
} ListRow;

static const ListRow list_rows[] = {
    {"pricing: on demand and metal", "m5.large=USD:0.096", "m5.metal=USD:4.608", "m5.large=0.096 m5.metal=4.608", 0},
    {"pricing: sorted", "z.a=USD:2 a.b=USD:1", "m.c=USD:3", "a.b=1 m.c=3 z.a=2", 0},
    {"pricing: of two the last", "a.b=USD:1 a.b=USD:2", "m.c=USD:3", "a.b=2 m.c=3", 0},
    {"pricing: of both lists that of metal", "a.b=USD:1", "a.b=USD:3", "a.b=3", 0},
    {"pricing: a price of nothing is none", "a.b=USD:0.0000000000 c.d=USD:1", "m.c=USD:3", "c.d=1 m.c=3", 1},
    {"pricing: another currency is none", "a.b=EUR:2 c.d=USD:1", "m.c=USD:3", "c.d=1 m.c=3", 1},
    {"pricing: a price that is no number", "a.b=USD:dear c.d=USD:1", "m.c=USD:3", "c.d=1 m.c=3", 1},
    {"pricing: a price below nothing", "a.b=USD:-1 c.d=USD:1", "m.c=USD:3", "c.d=1 m.c=3", 1},
    {"pricing: a price beyond belief", "a.b=USD:1000001 c.d=USD:1", "m.c=USD:3", "c.d=1 m.c=3", 1},
    {"pricing: a document that is none", "! c.d=USD:1", "m.c=USD:3", "c.d=1 m.c=3", 1},
    {"pricing: no machines", "", "m.c=USD:3", "not found", 0},
    {"pricing: no metal", "c.d=USD:1", "", "not found", 0},
    {"pricing: nothing but what cannot be read", "!", "m.c=USD:3", "not found", 1},
    {"pricing: a page of machines is missing", "c.d=USD:1 +", "m.c=USD:3", "input/output failed", 0},
    {"pricing: a page of metal is missing", "c.d=USD:1", "m.c=USD:3 +", "input/output failed", 0},
};

static Slice take_word(Slice *rest) {
    ptrdiff_t at = slice_find(*rest, ' ');
    Slice word = at < 0 ? *rest : slice_first(*rest, (size_t)at);

    *rest = slice_from(*rest, at < 0 ? rest->len : (size_t)at + 1);
    return word;
}

static Slice document_of(Slice word) {
    ptrdiff_t equals = slice_find(word, '=');
    Slice price = slice_from(word, (size_t)equals + 1);

    if (equals < 0)
        return SLICE("{\"product\":");
    return arena_printf(&arena,
                        "{\"product\":{\"attributes\":{\"instanceType\":\"%.*s\"}},\"terms\":{\"OnDemand\":{\"T\":{"
                        "\"priceDimensions\":{\"D\":{\"pricePerUnit\":{\"%.3s\":\"%.*s\"}}}}}}}",
                        (int)equals, word.ptr, price.ptr, SLICE_ARG(slice_from(price, 4)));
}

static void add_list(Ec2PriceListPages *pages, Ec2PriceList list, const char *words) {
    PricingGetProductsOutput page = {0};

    for (Slice rest = slice_of(words); rest.len;) {
        Slice word = take_word(&rest);

        if (slice_eq_text(word, "+"))
            page.next_token = SLICE("more");
        else
            vec_push(&arena, &page.price_list, document_of(word));
    }
    ec2_price_list_add(pages, list, &page);
}

static const char *print_table(const Ec2PriceTable *table) {
    Slice text = SLICE("");

    for (vec_each(const Ec2PriceRow, row, table))
        text = arena_printf(&arena, "%.*s%s%.*s%s%.*s=%g", SLICE_ARG(text), text.len ? " " : "", SLICE_ARG(row->type),
                            row->zone.len ? "@" : "", SLICE_ARG(row->zone), row->per_hour);
    return arena_text(&arena, text);
}

static void list_lists(TestCases *cases) {
    for (size_t i = 0; i < sizeof list_rows / sizeof *list_rows; i++)
        test_case(cases, list_rows[i].name, (void *)(uintptr_t)&list_rows[i]);
}

TEST_EACH(const ListRow, row, prices_of_the_price_list, list_lists) {
    Ec2PriceListPages pages = {.arena = &arena, .currency = SLICE("USD")};
    Ec2PriceTable table = {0};
    bool changed = false;
    ErrCode code;

    add_list(&pages, EC2_PRICES_SHARED, row->shared);
    add_list(&pages, EC2_PRICES_METAL, row->metal);
    code = ec2_price_list_end(&pages, NULL, &table, &changed, NULL);
    assert_string_equal(code == OK ? print_table(&table) : err_code_text(code), row->wanted);
    assert_int_equal(pages.ignored, row->ignored);
    assert_true(changed == (code == OK));
}

TEST(a_document_that_is_too_long_is_passed_over) {
    Ec2PriceListPages pages = {.arena = &arena, .currency = SLICE("USD")};
    PricingGetProductsOutput page = {0};
    char *text = arena_alloc(&arena, EC2_PRICE_DOCUMENT_MAX + 1);
    Slice document = document_of(SLICE("a.b=USD:1"));

    memset(text, ' ', EC2_PRICE_DOCUMENT_MAX + 1);
    memcpy(text, document.ptr, document.len);
    vec_push(&arena, &page.price_list, (Slice){text, EC2_PRICE_DOCUMENT_MAX});
    vec_push(&arena, &page.price_list, (Slice){text, EC2_PRICE_DOCUMENT_MAX + 1});
    ec2_price_list_add(&pages, EC2_PRICES_SHARED, &page);
    assert_int_equal(pages.lists[EC2_PRICES_SHARED].rows.count, 1);
    assert_int_equal(pages.ignored, 1);
}

// Prices that are the same are no news; a type that is not listed any more has no price.
TEST(a_change_of_prices_is_told_once) {
    static const struct {
        const char *shared;
        bool changed;
    } rounds[] = {{"a.b=USD:1 c.d=USD:1", true},
                  {"c.d=USD:1 a.b=USD:1", false},
                  {"a.b=USD:2 c.d=USD:1", true},
                  {"a.b=USD:2", true},
                  {"a.b=USD:2", false}};
    Ec2PriceTable table = {0};

    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        Ec2PriceListPages pages = {.arena = &arena, .currency = SLICE("USD")};
        bool changed = !rounds[i].changed;

        add_list(&pages, EC2_PRICES_SHARED, rounds[i].shared);
        add_list(&pages, EC2_PRICES_METAL, "m.c=USD:3");
        assert_int_equal(ec2_price_list_end(&pages, i ? &table : NULL, &table, &changed, NULL), OK);
        assert_true(changed == rounds[i].changed);
    }
    assert_true(ec2_price_table_get(&table, SLICE("a.b"), SLICE("")) == 2);
    assert_true(ec2_price_table_get(&table, SLICE("c.d"), SLICE("")) == 0);
}

TEST(price_lists_are_asked_where_they_are) {
    static const struct {
        const char *region, *api, *currency;
        bool exists;
    } regions[] = {
        {"us-east-1", "us-east-1", "USD", true},       {"us-west-2", "us-east-1", "USD", true},
        {"ap-northeast-2", "ap-south-1", "USD", true}, {"cn-north-1", "cn-northwest-1", "CNY", true},
        {"eu-west-1", "eu-central-1", "USD", true},    {"sa-east-1", "us-east-1", "USD", true},
        {"us-gov-west-1", "us-east-1", "USD", false},  {"us-gov-east-1", "us-east-1", "USD", false},
    };

    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
        Slice region = slice_of(regions[i].region);

        assert_true(slice_eq_text(ec2_price_list_region(region), regions[i].api));
        assert_true(slice_eq_text(ec2_price_currency(region), regions[i].currency));
        assert_true(ec2_price_list_exists(region, false) == regions[i].exists);
        assert_false(ec2_price_list_exists(region, true)); // isolated VPC
    }
}

TEST(the_two_lists_are_asked_for_by_tenancy_and_family) {
    PricingGetProductsInput shared = ec2_price_list_query(&arena, SLICE("eu-west-1"), EC2_PRICES_SHARED),
                            metal = ec2_price_list_query(&arena, SLICE("eu-west-1"), EC2_PRICES_METAL);

    assert_int_equal(shared.filters.count, 8);
    assert_int_equal(shared.max_results.value, 100);
    assert_true(slice_eq_text(shared.filters.items[0].value, "eu-west-1"));
    assert_true(slice_eq_text(shared.filters.items[6].value, "Shared"));
    assert_true(slice_eq_text(shared.filters.items[7].value, "Compute Instance"));
    assert_true(slice_eq_text(metal.filters.items[6].value, "Dedicated"));
    assert_true(slice_eq_text(metal.filters.items[7].value, "Compute Instance (bare metal)"));
}

// --- spot

typedef struct {
    const char *name;
    const char *former; // NULL: none; else as `rows`
    const char *rows;   // "type@zone=price;time …"; '+': there is a further page
    const char *wanted;
    uint32_t ignored;
} SpotRow;

static const SpotRow spot_rows[] = {
    {"pricing: spot by zone", NULL, "a.b@y=2;1 a.b@x=1;1", "a.b@x=1 a.b@y=2", 0},
    {"pricing: the latest spot price", NULL, "a.b@x=1;1 a.b@x=3;3 a.b@x=2;2", "a.b@x=3", 0},
    {"pricing: of equal times the last", NULL, "a.b@x=1;1 a.b@x=3;1 a.b@x=2;1", "a.b@x=2", 0},
    {"pricing: merged over the former", "a.b@x=1;1 c.d@x=5;1", "a.b@x=2;2", "a.b@x=2 c.d@x=5", 0},
    {"pricing: a zone that is new", "b.b@y=1;1", "b.b@x=2;2 b.b@z=3;2", "b.b@x=2 b.b@y=1 b.b@z=3", 0},
    {"pricing: a spot price of nothing", NULL, "a.b@x=0;1 a.b@y=1;1", "a.b@y=1", 1},
    {"pricing: a spot price that is no number", NULL, "a.b@x=0x1p3;1 a.b@y=1;1", "a.b@y=1", 1},
    {"pricing: a spot price that is not finite", NULL, "a.b@x=1e999;1 a.b@y=1;1", "a.b@y=1", 1},
    {"pricing: a spot price below nothing", NULL, "a.b@x=-1;1 a.b@y=1;1", "a.b@y=1", 1},
    {"pricing: a spot price without a time", NULL, "a.b@x=1; a.b@y=1;1", "a.b@y=1", 1},
    {"pricing: a spot price without a zone", NULL, "a.b@=1;1 a.b@y=1;1", "a.b@y=1", 1},
    {"pricing: a spot price without a type", NULL, "@x=1;1 a.b@y=1;1", "a.b@y=1", 1},
    {"pricing: no spot price", NULL, "", "not found", 0},
    {"pricing: no spot price that can be read", NULL, "a.b@x=dear;1", "not found", 1},
    {"pricing: a page of spot prices is missing", NULL, "a.b@x=1;1 +", "input/output failed", 0},
};

static Slice take_until(Slice *rest, char separator) {
    ptrdiff_t at = slice_find(*rest, separator);
    Slice part = slice_first(*rest, (size_t)at);

    assert_true(at >= 0);
    *rest = slice_from(*rest, (size_t)at + 1);
    return part;
}

static ErrCode read_spot(const char *words, const Ec2PriceTable *former, Ec2PriceTable *ret_table, bool *ret_changed,
                         uint32_t *ret_ignored) {
    Ec2DescribeSpotPriceHistoryOutput page = {0};
    Ec2SpotPages pages = {.arena = &arena};

    for (Slice rest = slice_of(words); rest.len;) {
        Slice word = take_word(&rest);
        Ec2SpotPrice price = {0};

        if (slice_eq_text(word, "+")) {
            page.next_token = SLICE("more");
            continue;
        }
        price.instance_type = take_until(&word, '@');
        price.availability_zone = take_until(&word, '=');
        price.spot_price = take_until(&word, ';');
        if (slice_to_int64(word, &price.timestamp.ns))
            price.timestamp.has = true;
        vec_push(&arena, &page.spot_price_history, price);
    }
    ec2_spot_add(&pages, &page);
    *ret_ignored = pages.ignored;
    return ec2_spot_end(&pages, former, ret_table, ret_changed, NULL);
}

static void list_spot(TestCases *cases) {
    for (size_t i = 0; i < sizeof spot_rows / sizeof *spot_rows; i++)
        test_case(cases, spot_rows[i].name, (void *)(uintptr_t)&spot_rows[i]);
}

TEST_EACH(const SpotRow, row, prices_of_the_spot_history, list_spot) {
    Ec2PriceTable former = {0}, table = {0};
    bool changed = false;
    uint32_t ignored;
    ErrCode code;

    if (row->former)
        assert_int_equal(read_spot(row->former, NULL, &former, &changed, &ignored), OK);
    changed = false;
    code = read_spot(row->rows, row->former ? &former : NULL, &table, &changed, &ignored);
    assert_string_equal(code == OK ? print_table(&table) : err_code_text(code), row->wanted);
    assert_int_equal(ignored, row->ignored);
    assert_true(changed == (code == OK));
    changed = true;
    if (code == OK) // the same again is no news
        assert_true(read_spot(row->rows, &table, &table, &changed, &ignored) == OK && !changed);
}

TEST(spot_prices_are_asked_for_as_of_now) {
    Ec2DescribeSpotPriceHistoryInput input = ec2_spot_query(&arena, 42);

    assert_true(input.start_time.has && input.start_time.ns == 42);
    assert_int_equal(input.max_results.value, 2000);
    assert_int_equal(input.product_descriptions.count, 2);
}
