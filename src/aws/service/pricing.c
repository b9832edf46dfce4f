// Prices on demand. Reference aws.md 4.5.
#include "aws/service/pricing.h"

#include "aws/protocol/json_read.h"

const AwsService pricing_service = {
    .id = "pricing",
    .endpoint_prefix = "api.pricing",
    .signing_name = "pricing",
    .api_version = "2017-10-15",
    .json_target = "AWSPriceListService",
    .protocol = AWS_JSON_1_1,
};

AWS_SHAPE(PricingFilter, PRICING_FILTER);
AWS_SHAPE(PricingGetProductsInput, PRICING_GET_PRODUCTS_INPUT);
AWS_SHAPE(PricingGetProductsOutput, PRICING_GET_PRODUCTS_OUTPUT);

AWS_OPERATION(pricing_get_products, pricing_service, "GetProducts", PricingGetProducts,
              AWS_PAGED(PricingGetProducts, next_token, next_token));

// The prices of one of a product's terms, of which there may be several.
static ErrCode read_term(const Value *term, Slice currency, double *price, Err *err) {
    const Value *dimensions = value_get_text(term, "priceDimensions");

    if (!dimensions || dimensions->kind != VALUE_MAP)
        return OK;
    for (vec_each(const ValueMember, dimension, &dimensions->map)) {
        const Value *text = value_get(value_get_text(&dimension->value, "pricePerUnit"), currency);
        Value number = {.kind = VALUE_NUMBER};
        double found;

        if (!text || text->kind != VALUE_STRING)
            continue;
        number.text = text->text;
        if (!value_to_double(&number, &found) || found < 0)
            return err_set(err, ERR_INVALID, "pricePerUnit: expected a price");
        if (found > 0)
            *price = found;
    }
    return OK;
}

static ErrCode read_product(Arena *arena, const Value *product, Slice currency, PricingPrice *ret_price, Err *err) {
    const Value *type = value_at(product, "product", "attributes", "instanceType", NULL);
    const Value *terms = value_at(product, "terms", "OnDemand", NULL);
    double price = 0;

    if (!type || type->kind != VALUE_STRING || slice_is_empty(type->text))
        return err_set(err, ERR_INVALID, "product.attributes.instanceType: required");
    if (terms && terms->kind == VALUE_MAP) {
        for (vec_each(const ValueMember, term, &terms->map))
            TRY(read_term(&term->value, currency, &price, err));
    }
    *ret_price = (PricingPrice){arena_slice(arena, type->text), price};
    return OK;
}

ErrCode pricing_read(Arena *arena, Slice product, Slice currency, PricingPrice *ret_price, Err *err) {
    Arena scratch = {0};
    Value root;
    ErrCode code = aws_json_parse(&scratch, product, &root, err);

    if (code == OK)
        code = read_product(arena, &root, currency, ret_price, err);
    arena_free(&scratch);
    return code;
}
