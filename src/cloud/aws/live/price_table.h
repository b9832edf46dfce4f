// Prices as EC2 and the price list tell them: a sorted table, compared and searched.
#pragma once

#include "base/vec.h"

// Greatest price that is believed, in any currency.
#define EC2_PRICE_MAX 1000000.0

typedef struct {
    Slice type, zone; // zone empty: the price holds in the whole region (on demand)
    double per_hour;  // more than 0, at most EC2_PRICE_MAX
} Ec2PriceRow;
typedef Vec(Ec2PriceRow) Ec2PriceTable; // sorted by type, then zone; each once

// For qsort of rows that begin with an Ec2PriceRow: by type, then zone.
int ec2_price_row_compare(const void *a, const void *b);
// The price; 0: not known. O(log rows).
double ec2_price_table_get(const Ec2PriceTable *table, Slice type, Slice zone);
// Whether two tables are equal, so that a change can be told once. O(rows).
bool ec2_price_table_eq(const Ec2PriceTable *a, const Ec2PriceTable *b);
// Whether the price is one that can be believed.
static inline bool ec2_price_is_sound(double per_hour) {
    return per_hour > 0 && per_hour <= EC2_PRICE_MAX;
}
