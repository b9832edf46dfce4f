// Pages of spot prices.
#include "cloud/aws/live/spot_history.h"

#include "text/number.h"
#include "text/value.h"

#include <stdlib.h>

enum { PAGE_SIZE = 2000, TEXT_MAX = 64 };

Ec2DescribeSpotPriceHistoryInput ec2_spot_query(Arena *arena, int64_t now_ns) {
    Ec2DescribeSpotPriceHistoryInput input = {.start_time = aws_time(now_ns), .max_results = aws_integer(PAGE_SIZE)};

    vec_push(arena, &input.product_descriptions, SLICE("Linux/UNIX"));
    vec_push(arena, &input.product_descriptions, SLICE("Linux/UNIX (Amazon VPC)"));
    return input;
}

static bool is_name(Slice text) {
    return text.len > 0 && text.len <= TEXT_MAX;
}

static bool read_price(Slice text, double *ret_price) {
    const Value number = {.kind = VALUE_NUMBER, .text = text};

    return is_name(text) && number_is_json(text) && value_to_double(&number, ret_price) &&
           ec2_price_is_sound(*ret_price);
}

static bool read_row(Arena *arena, const Ec2SpotPrice *price, Ec2SpotMoment *ret_moment) {
    Ec2PriceRow row = {0};

    if (!is_name(price->instance_type) || !is_name(price->availability_zone) || !price->timestamp.has ||
        !read_price(price->spot_price, &row.per_hour))
        return false;
    row.type = arena_slice(arena, price->instance_type);
    row.zone = arena_slice(arena, price->availability_zone);
    *ret_moment = (Ec2SpotMoment){.row = row, .at_ns = price->timestamp.ns};
    return true;
}

void ec2_spot_add(Ec2SpotPages *pages, const Ec2DescribeSpotPriceHistoryOutput *page) {
    pages->is_complete = slice_is_empty(page->next_token);
    for (vec_each(const Ec2SpotPrice, price, &page->spot_price_history)) {
        Ec2SpotMoment moment;

        if (pages->moments.count == EC2_SPOT_PRICES_MAX) {
            pages->is_too_large = true;
            return;
        }
        if (!read_row(pages->arena, price, &moment)) {
            pages->ignored++;
            continue;
        }
        moment.place = pages->moments.count;
        vec_push(pages->arena, &pages->moments, moment);
    }
}

// By type and zone, the latest first.
static int compare(const void *a, const void *b) {
    const Ec2SpotMoment *x = a, *y = b;
    int order = ec2_price_row_compare(&x->row, &y->row);

    if (order)
        return order;
    if (x->at_ns != y->at_ns)
        return x->at_ns > y->at_ns ? -1 : 1;
    return (y->place > x->place) - (y->place < x->place);
}

// The former prices of what `fresh` has no price for, and `fresh`: both are sorted.
static Ec2PriceTable merge(Arena *arena, const Ec2PriceTable *former, const Ec2PriceTable *fresh) {
    Ec2PriceTable merged = {0};
    uint32_t i = 0, k = 0;

    while (i < former->count || k < fresh->count) {
        int order = i == former->count  ? 1
                    : k == fresh->count ? -1
                                        : ec2_price_row_compare(&former->items[i], &fresh->items[k]);

        if (order < 0) {
            const Ec2PriceRow *row = &former->items[i++];

            vec_push(arena, &merged,
                     (Ec2PriceRow){arena_slice(arena, row->type), arena_slice(arena, row->zone), row->per_hour});
            continue;
        }
        i += order == 0;
        vec_push(arena, &merged, fresh->items[k++]);
    }
    return merged;
}

ErrCode ec2_spot_end(const Ec2SpotPages *pages, const Ec2PriceTable *former, Ec2PriceTable *ret_table,
                     bool *ret_changed, Err *err) {
    Ec2PriceTable fresh = {0};

    if (pages->is_too_large)
        return err_set(err, ERR_TOO_LARGE, "EC2 lists more than %d spot prices", EC2_SPOT_PRICES_MAX);
    if (!pages->is_complete)
        return err_set(err, ERR_IO, "EC2's list of spot prices lacks its last page");
    if (pages->moments.count == 0)
        return err_set(err, ERR_NOT_FOUND, "EC2 lists no spot prices");
    qsort(pages->moments.items, pages->moments.count, sizeof *pages->moments.items, compare);
    for (vec_each(const Ec2SpotMoment, moment, &pages->moments)) {
        if (fresh.count == 0 || ec2_price_row_compare(vec_last(&fresh), &moment->row))
            vec_push(pages->arena, &fresh, moment->row);
    }
    *ret_table = former ? merge(pages->arena, former, &fresh) : fresh;
    *ret_changed = !former || !ec2_price_table_eq(former, ret_table);
    return OK;
}
