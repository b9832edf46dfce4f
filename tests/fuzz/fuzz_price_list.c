// Any text as a document of the price list (256 KiB at most), and each of its lines as one. Prices that are read are
// sorted, each there once, and can be believed.
#include "cloud/aws/live/price_list.h"
#include "support/fuzz.h"

static void check_table(const Ec2PriceTable *table) {
    for (uint32_t i = 0; i < table->count; i++) {
        const Ec2PriceRow *row = &table->items[i];

        CHECK(ec2_price_is_sound(row->per_hour) && row->type.len > 0, "a row that is none");
        CHECK(i == 0 || ec2_price_row_compare(row - 1, row) < 0, "rows without order");
        CHECK(ec2_price_table_get(table, row->type, SLICE("")) == row->per_hour, "a row that is not found");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Arena arena = {0};
    Ec2PriceListPages pages = {.arena = &arena, .currency = SLICE("USD")};
    PricingGetProductsOutput page = {0};
    Slice text = {(const char *)bytes, size};
    Ec2PriceTable table, again;
    bool changed;

    vec_push(&arena, &page.price_list, text);
    while (text.len) {
        ptrdiff_t end = slice_find(text, '\n');

        vec_push(&arena, &page.price_list, end < 0 ? text : slice_first(text, (size_t)end));
        text = slice_from(text, end < 0 ? text.len : (size_t)end + 1);
    }
    ec2_price_list_add(&pages, EC2_PRICES_SHARED, &page);
    ec2_price_list_add(&pages, EC2_PRICES_METAL, &page);
    if (ec2_price_list_end(&pages, NULL, &table, &changed, NULL) == OK) {
        check_table(&table);
        CHECK(ec2_price_list_end(&pages, &table, &again, &changed, NULL) == OK && !changed, "not the same twice");
    }
    arena_free(&arena);
    return 0;
}
