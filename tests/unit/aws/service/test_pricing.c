// Price lists: JSON documents within JSON.
#include "aws/service/pricing.h"
#include "aws/support/wire.h"

FIXTURE(Wire, wire_new, wire_free);

static ErrCode read_product(Wire *wire, const char *product, const char *currency, PricingPrice *ret_price) {
    return pricing_read(&wire->arena, slice_of(product), slice_of(currency), ret_price, &wire->err);
}

TEST_F(Wire, wire, a_price_is_found_below_its_terms) {
    PricingGetProductsOutput output = {0};
    PricingPrice price;

    assert_int_equal(
        wire_read(wire, &pricing_get_products,
                  "{\"FormatVersion\":\"aws_v1\",\"PriceList\":[\"{\\\"product\\\":{\\\"attributes\\\":{"
                  "\\\"instanceType\\\":\\\"m5.large\\\"}},\\\"terms\\\":{\\\"OnDemand\\\":{\\\"A.B\\\":{"
                  "\\\"priceDimensions\\\":{\\\"A.B.C\\\":{\\\"pricePerUnit\\\":{\\\"USD\\\":\\\"0.0960000000\\\"}}}}"
                  "}}}\"],\"NextToken\":\"n\"}",
                  &output),
        OK);
    assert_int_equal(output.price_list.count, 1);
    assert_int_equal(pricing_read(&wire->arena, output.price_list.items[0], SLICE("USD"), &price, &wire->err), OK);
    assert_slice(price.instance_type, "m5.large");
    assert_true(price.price_per_hour > 0.0959 && price.price_per_hour < 0.0961);
}

#define PRODUCT(terms)        "{\"product\":{\"attributes\":{\"instanceType\":\"a\"}},\"terms\":{\"OnDemand\":{" terms "}}}"
#define TERM(currency, price) "{\"priceDimensions\":{\"d\":{\"pricePerUnit\":{\"" currency "\":\"" price "\"}}}}"

TEST_F(Wire, wire, a_price_of_zero_does_not_replace_another) {
    PricingPrice price;

    assert_int_equal(
        read_product(wire, PRODUCT("\"x\":" TERM("USD", "2.5") ",\"y\":" TERM("USD", "0.0000")), "USD", &price), OK);
    assert_true(price.price_per_hour > 2.49 && price.price_per_hour < 2.51);
}

TEST_F(Wire, wire, another_currency_is_no_price) {
    PricingPrice price;

    assert_int_equal(read_product(wire, PRODUCT("\"x\":" TERM("CNY", "7")), "USD", &price), OK);
    assert_true(price.price_per_hour <= 0);
    assert_int_equal(read_product(wire, PRODUCT("\"x\":" TERM("CNY", "7")), "CNY", &price), OK);
    assert_true(price.price_per_hour > 6.99);
}

TEST_F(Wire, wire, a_product_without_terms_has_no_price) {
    PricingPrice price;

    assert_int_equal(read_product(wire, "{\"product\":{\"attributes\":{\"instanceType\":\"a\"}}}", "USD", &price), OK);
    assert_true(price.price_per_hour <= 0);
}

TEST_F(Wire, wire, what_is_no_product_is_refused) {
    static const char *const bad[] = {"",
                                      "[]",
                                      "{",
                                      "{}",
                                      "{\"product\":{\"attributes\":{\"instanceType\":7}}}",
                                      PRODUCT("\"x\":" TERM("USD", "free")),
                                      PRODUCT("\"x\":" TERM("USD", "-1"))};
    PricingPrice price;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(read_product(wire, bad[i], "USD", &price), ERR_INVALID);
}
