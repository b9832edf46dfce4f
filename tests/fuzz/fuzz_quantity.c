// Any text as a quantity. The canonical form of a quantity has the same value and is its own canonical form. Exception:
// a binary quantity whose canonical form has no suffix ("1000.5Ki" is "1024512") is decimal when read again, as in Go.
#include "support/fuzz.h"

#include "text/quantity.h"

static void check_canonical(Arena *arena, Slice text, QuantityScale scale) {
    int64_t value, again;
    Slice once, twice, thrice;

    if (quantity_parse(text, scale, &value, NULL) != OK)
        return;
    CHECK(quantity_canonical(arena, text, &once, NULL) == OK);
    CHECK(quantity_parse(once, scale, &again, NULL) == OK && again == value);
    CHECK(quantity_canonical(arena, once, &twice, NULL) == OK);
    CHECK(slice_eq(once, twice) || (text.ptr[text.len - 1] == 'i' && once.ptr[once.len - 1] != 'i'));
    CHECK(quantity_canonical(arena, twice, &thrice, NULL) == OK && slice_eq(twice, thrice));
    for (int format = 0; format < 2; format++) {
        Slice printed = quantity_print(arena, value, scale, (QuantityFormat)format);

        CHECK(quantity_parse(printed, scale, &again, NULL) == OK && again == value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Slice text = {(const char *)bytes, size};
    Arena arena = {0};
    Slice canonical;

    check_canonical(&arena, text, QUANTITY_UNIT);
    check_canonical(&arena, text, QUANTITY_MILLI);
    (void)quantity_canonical(&arena, text, &canonical, &(Err){0});
    arena_free(&arena);
    return 0;
}
