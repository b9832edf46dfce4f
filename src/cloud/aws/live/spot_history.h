// Spot prices of each zone, gathered from the pages of DescribeSpotPriceHistory. Reference aws.md 2.1, 4.5.
//
// The history is whole or the former table stays. Of a type and zone the latest price counts; those that the answer
// does not have keep the former price.
#pragma once

#include "aws/service/ec2_spot_price.h"
#include "base/err.h"
#include "cloud/aws/live/price_table.h"

enum { EC2_SPOT_PRICES_MAX = 1 << 18 };

// The request for the first page: the prices at that moment, for Linux.
Ec2DescribeSpotPriceHistoryInput ec2_spot_query(Arena *arena, int64_t now_ns);

// A price with its time and its place in the answer.
typedef struct {
    Ec2PriceRow row;
    int64_t at_ns;
    uint32_t place;
} Ec2SpotMoment;

// Set `arena`, add all pages, then end.
typedef struct {
    Arena *arena; // of the prices
    Vec(Ec2SpotMoment) moments;
    bool is_complete; // the last page added was the last of the history
    bool is_too_large;
    uint32_t ignored; // rows without type, zone or time, or without a price that can be believed
} Ec2SpotPages;

// Adds a page, which may go after the call. O(page).
void ec2_spot_add(Ec2SpotPages *pages, const Ec2DescribeSpotPriceHistoryOutput *page);
// Gives the prices; of equal times the row that came last counts. `former` may be NULL; its texts are copied.
// *ret_changed: the table differs from it. O(rows × log rows). ERR_IO: the last page is missing. ERR_NOT_FOUND: there
// is no price. ERR_TOO_LARGE: more than EC2_SPOT_PRICES_MAX rows.
ErrCode ec2_spot_end(const Ec2SpotPages *pages, const Ec2PriceTable *former, Ec2PriceTable *ret_table,
                     bool *ret_changed, Err *err);
