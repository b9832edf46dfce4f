// Prices on demand. Reference aws.md 4.5.
#pragma once

#include "aws/protocol/operation.h"

extern const AwsService pricing_service;

// type: "TERM_MATCH".
#define PRICING_FILTER(X, T)                                                                                           \
    X(T, STRING, type, "Type")                                                                                         \
    X(T, STRING, field, "Field")                                                                                       \
    X(T, STRING, value, "Value")
AWS_STRUCT(PricingFilter, PRICING_FILTER);

#define PRICING_GET_PRODUCTS_INPUT(X, T)                                                                               \
    X(T, STRING, service_code, "ServiceCode")                                                                          \
    X(T, LIST, filters, "Filters", PricingFilter)                                                                      \
    X(T, INTEGER, max_results, "MaxResults")                                                                           \
    X(T, STRING, next_token, "NextToken")
AWS_STRUCT(PricingGetProductsInput, PRICING_GET_PRODUCTS_INPUT);

// price_list: a JSON document each (pricing_read).
#define PRICING_GET_PRODUCTS_OUTPUT(X, T)                                                                              \
    X(T, STRINGS, price_list, "PriceList")                                                                             \
    X(T, STRING, next_token, "NextToken")
AWS_STRUCT(PricingGetProductsOutput, PRICING_GET_PRODUCTS_OUTPUT);

// Pages of at most 100.
extern const AwsOperation pricing_get_products;

// A product of a price list that is an instance type.
typedef struct {
    Slice instance_type;
    double price_per_hour; // in the currency that was asked for; 0: none
} PricingPrice;

// Reads an element of price_list. `currency`: "USD", in China "CNY". Of several prices the last that is not zero
// counts. O(length). ERR_INVALID: not JSON, no instance type, or a price that is no number.
ErrCode pricing_read(Arena *arena, Slice product, Slice currency, PricingPrice *ret_price, Err *err);
