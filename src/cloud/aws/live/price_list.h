// On-demand prices, gathered from the pages of two GetProducts: machines, and bare metal. Reference aws.md 4.5.
//
// Both lists are whole and have prices, or the former table stays. A document that cannot be read is passed over and
// counted: one odd product must not keep a thousand prices from being renewed. A type without a price in the lists has
// none any more, as in Karpenter.
#pragma once

#include "aws/service/pricing.h"
#include "base/err.h"
#include "cloud/aws/live/price_table.h"

enum { EC2_PRICE_DOCUMENT_MAX = 256 << 10, EC2_PRICE_DOCUMENTS_MAX = 1 << 15 };

typedef enum { EC2_PRICES_SHARED, EC2_PRICES_METAL, EC2_PRICE_LISTS } Ec2PriceList;

// Whether there is a price list to ask: not in an isolated VPC, and not in GovCloud. There the built-in prices stay;
// spot prices are asked for everywhere.
bool ec2_price_list_exists(Slice region, bool isolated_vpc);
// The region whose endpoint has the prices of `region`. A constant.
Slice ec2_price_list_region(Slice region);
// The currency of a region's prices: "USD", in China "CNY". A constant.
Slice ec2_price_currency(Slice region);
// The request for the first page of a list. `region` is shared.
PricingGetProductsInput ec2_price_list_query(Arena *arena, Slice region, Ec2PriceList list);

// Set `arena` and `currency`, add all pages of both lists.
typedef struct {
    Arena *arena; // of the prices
    Slice currency;
    struct {
        Ec2PriceTable rows; // in the order of the list
        uint32_t documents;
        bool is_complete; // the last page added was the last of the list
    } lists[EC2_PRICE_LISTS];
    uint32_t ignored; // documents that are too long, unreadable, or without a price that can be believed
} Ec2PriceListPages;

// Adds a page, which may go after the call. O(page).
void ec2_price_list_add(Ec2PriceListPages *pages, Ec2PriceList list, const PricingGetProductsOutput *page);
// Gives the prices of both lists; of several of one type the last counts. `former` may be NULL. *ret_changed: they
// differ from it. O(prices × log prices). ERR_IO: a list lacks its last page. ERR_NOT_FOUND: one has no price.
// ERR_TOO_LARGE: one has more than EC2_PRICE_DOCUMENTS_MAX documents.
ErrCode ec2_price_list_end(const Ec2PriceListPages *pages, const Ec2PriceTable *former, Ec2PriceTable *ret_table,
                           bool *ret_changed, Err *err);
