// Pages of the price list.
#include "cloud/aws/live/price_list.h"

#include <stdlib.h>

enum { PAGE_SIZE = 100, TYPE_MAX = 64 };

static const char *const list_names[EC2_PRICE_LISTS] = {"machines", "bare metal"};

bool ec2_price_list_exists(Slice region, bool isolated_vpc) {
    return !isolated_vpc && !slice_starts_with(region, SLICE("us-gov"));
}

Slice ec2_price_list_region(Slice region) {
    if (slice_starts_with(region, SLICE("ap-")))
        return SLICE("ap-south-1");
    if (slice_starts_with(region, SLICE("cn-")))
        return SLICE("cn-northwest-1");
    if (slice_starts_with(region, SLICE("eu-")))
        return SLICE("eu-central-1");
    return SLICE("us-east-1");
}

Slice ec2_price_currency(Slice region) {
    return slice_starts_with(region, SLICE("cn-")) ? SLICE("CNY") : SLICE("USD");
}

static void add_filter(Arena *arena, PricingGetProductsInput *input, const char *field, Slice value) {
    vec_push(arena, &input->filters, (PricingFilter){SLICE("TERM_MATCH"), slice_of(field), value});
}

PricingGetProductsInput ec2_price_list_query(Arena *arena, Slice region, Ec2PriceList list) {
    PricingGetProductsInput input = {.service_code = SLICE("AmazonEC2"), .max_results = aws_integer(PAGE_SIZE)};
    bool is_metal = list == EC2_PRICES_METAL;

    add_filter(arena, &input, "regionCode", region);
    add_filter(arena, &input, "serviceCode", SLICE("AmazonEC2"));
    add_filter(arena, &input, "preInstalledSw", SLICE("NA"));
    add_filter(arena, &input, "operatingSystem", SLICE("Linux"));
    add_filter(arena, &input, "capacitystatus", SLICE("Used"));
    add_filter(arena, &input, "marketoption", SLICE("OnDemand"));
    add_filter(arena, &input, "tenancy", is_metal ? SLICE("Dedicated") : SLICE("Shared"));
    add_filter(arena, &input, "productFamily",
               is_metal ? SLICE("Compute Instance (bare metal)") : SLICE("Compute Instance"));
    return input;
}

static bool read_document(Arena *arena, Slice document, Slice currency, Ec2PriceRow *ret_row) {
    PricingPrice price;

    if (document.len > EC2_PRICE_DOCUMENT_MAX || pricing_read(arena, document, currency, &price, NULL) != OK ||
        price.instance_type.len > TYPE_MAX || !ec2_price_is_sound(price.price_per_hour))
        return false;
    *ret_row = (Ec2PriceRow){.type = price.instance_type, .per_hour = price.price_per_hour};
    return true;
}

void ec2_price_list_add(Ec2PriceListPages *pages, Ec2PriceList list, const PricingGetProductsOutput *page) {
    pages->lists[list].is_complete = slice_is_empty(page->next_token);
    for (vec_each(const Slice, document, &page->price_list)) {
        Ec2PriceRow row;

        if (pages->lists[list].documents++ >= EC2_PRICE_DOCUMENTS_MAX)
            return;
        if (read_document(pages->arena, *document, pages->currency, &row))
            vec_push(pages->arena, &pages->lists[list].rows, row);
        else
            pages->ignored++;
    }
}

static ErrCode check_list(const Ec2PriceListPages *pages, Ec2PriceList list, Err *err) {
    if (pages->lists[list].documents > EC2_PRICE_DOCUMENTS_MAX)
        return err_set(err, ERR_TOO_LARGE, "the price list of %s has more than %d products", list_names[list],
                       EC2_PRICE_DOCUMENTS_MAX);
    if (!pages->lists[list].is_complete)
        return err_set(err, ERR_IO, "the price list of %s lacks its last page", list_names[list]);
    if (pages->lists[list].rows.count == 0)
        return err_set(err, ERR_NOT_FOUND, "the price list of %s has no price", list_names[list]);
    return OK;
}

// A row with its place in the lists.
typedef struct {
    Ec2PriceRow row;
    uint32_t place;
} Placed;

static int compare(const void *a, const void *b) {
    const Placed *x = a, *y = b;
    int order = ec2_price_row_compare(&x->row, &y->row);

    return order ? order : (y->place > x->place) - (y->place < x->place);
}

// All rows, by type, those that came last first.
static Placed *sort_rows(const Ec2PriceListPages *pages, uint32_t count) {
    Placed *sorted = arena_array(pages->arena, Placed, count);
    uint32_t place = 0;

    for (uint32_t list = 0; list < EC2_PRICE_LISTS; list++) {
        for (vec_each(const Ec2PriceRow, row, &pages->lists[list].rows)) {
            sorted[place] = (Placed){*row, place};
            place++;
        }
    }
    qsort(sorted, count, sizeof *sorted, compare);
    return sorted;
}

ErrCode ec2_price_list_end(const Ec2PriceListPages *pages, const Ec2PriceTable *former, Ec2PriceTable *ret_table,
                           bool *ret_changed, Err *err) {
    Ec2PriceTable table = {0};
    uint32_t count = 0;
    const Placed *sorted;

    for (uint32_t list = 0; list < EC2_PRICE_LISTS; list++) {
        TRY(check_list(pages, list, err));
        count += pages->lists[list].rows.count;
    }
    sorted = sort_rows(pages, count);
    for (uint32_t i = 0; i < count; i++) {
        if (table.count == 0 || ec2_price_row_compare(vec_last(&table), &sorted[i].row))
            vec_push(pages->arena, &table, sorted[i].row);
    }
    *ret_changed = !former || !ec2_price_table_eq(former, &table);
    *ret_table = table;
    return OK;
}
