// Search and comparison of prices.
#include "cloud/aws/live/price_table.h"

#include <stdlib.h>

int ec2_price_row_compare(const void *a, const void *b) {
    const Ec2PriceRow *x = a, *y = b;
    int order = slice_cmp(x->type, y->type);

    return order ? order : slice_cmp(x->zone, y->zone);
}

double ec2_price_table_get(const Ec2PriceTable *table, Slice type, Slice zone) {
    const Ec2PriceRow key = {.type = type, .zone = zone};
    const Ec2PriceRow *row = NULL;

    if (table->count)
        row = bsearch(&key, table->items, table->count, sizeof key, ec2_price_row_compare);
    return row ? row->per_hour : 0;
}

bool ec2_price_table_eq(const Ec2PriceTable *a, const Ec2PriceTable *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (ec2_price_row_compare(&a->items[i], &b->items[i]) || a->items[i].per_hour != b->items[i].per_hour)
            return false;
    }
    return true;
}
