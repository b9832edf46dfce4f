// Sorted lists of amounts: merges are linear in both lists.
#include "model/resources.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/check.h"

// Index of a resource, or of where it would be inserted. Lists are short: a linear search beats a binary one.
static uint32_t find(const Resources *list, Symbol resource, bool *ret_found) {
    uint32_t i = 0;

    while (i < list->count && list->items[i].resource < resource)
        i++;
    *ret_found = i < list->count && list->items[i].resource == resource;
    return i;
}

int64_t resources_get(const Resources *list, Symbol resource) {
    bool found;
    uint32_t at = find(list, resource, &found);

    return found ? list->items[at].amount : 0;
}

bool resources_has(const Resources *list, Symbol resource) {
    bool found;

    find(list, resource, &found);
    return found;
}

static ResourceAmount *insert(Arena *arena, Resources *list, uint32_t at, Symbol resource) {
    if (list->count == list->capacity)
        list->items = vec_grow(arena, list->items, sizeof *list->items, list->count, &list->capacity);
    memmove(&list->items[at + 1], &list->items[at], (list->count - at) * sizeof *list->items);
    list->count++;
    list->items[at] = (ResourceAmount){.resource = resource};
    return &list->items[at];
}

// The amount of a resource, added as 0 when absent.
static int64_t *amount_of(Arena *arena, Resources *list, Symbol resource) {
    bool found;
    uint32_t at = find(list, resource, &found);

    return found ? &list->items[at].amount : &insert(arena, list, at, resource)->amount;
}

void resources_set(Arena *arena, Resources *list, Symbol resource, int64_t amount) {
    *amount_of(arena, list, resource) = amount;
}

static int64_t add_saturated(int64_t a, int64_t b) {
    int64_t sum;

    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return b > 0 ? INT64_MAX : INT64_MIN;
}

static int64_t subtract_saturated(int64_t a, int64_t b) {
    int64_t difference;

    if (!__builtin_sub_overflow(a, b, &difference))
        return difference;
    return b < 0 ? INT64_MAX : INT64_MIN;
}

void resources_add(Arena *arena, Resources *to, const Resources *from) {
    for (uint32_t i = 0; i < from->count; i++) {
        int64_t *amount = amount_of(arena, to, from->items[i].resource);

        *amount = add_saturated(*amount, from->items[i].amount);
    }
}

void resources_max(Arena *arena, Resources *to, const Resources *from) {
    for (uint32_t i = 0; i < from->count; i++) {
        bool had;
        int64_t amount = from->items[i].amount;
        uint32_t at = find(to, from->items[i].resource, &had);

        if (!had)
            insert(arena, to, at, from->items[i].resource)->amount = amount;
        else if (to->items[at].amount < amount)
            to->items[at].amount = amount;
    }
}

void resources_subtract(Arena *arena, Resources *to, const Resources *from) {
    for (uint32_t i = 0; i < from->count; i++) {
        int64_t *amount = amount_of(arena, to, from->items[i].resource);

        *amount = subtract_saturated(*amount, from->items[i].amount);
    }
}

Resources resources_copy(Arena *arena, const Resources *list) {
    Resources copy = {.count = list->count, .capacity = list->count};

    if (list->count)
        copy.items = arena_copy(arena, list->items, list->count * sizeof *list->items);
    return copy;
}

bool resources_fit(const Resources *requested, const Resources *total) {
    for (uint32_t i = 0; i < total->count; i++) {
        if (total->items[i].amount < 0)
            return false;
    }
    for (uint32_t i = 0; i < requested->count; i++) {
        if (requested->items[i].amount > resources_get(total, requested->items[i].resource))
            return false;
    }
    return true;
}

// Whether every amount of `a` equals that of `b`.
static bool agrees(const Resources *a, const Resources *b) {
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->items[i].amount != resources_get(b, a->items[i].resource))
            return false;
    }
    return true;
}

bool resources_eq(const Resources *a, const Resources *b) {
    return agrees(a, b) && agrees(b, a);
}

Slice resource_print(Arena *arena, Symbol resource, int64_t amount) {
    bool binary = resource == NAME_MEMORY || resource == NAME_EPHEMERAL_STORAGE;

    return quantity_print(arena, amount, resource_scale(resource), binary ? QUANTITY_BINARY : QUANTITY_DECIMAL);
}

// As resource_print, for any resource name.
static Slice print_named(Arena *arena, Slice name, const ResourceAmount *entry) {
    bool binary = slice_starts_with(name, SLICE("hugepages-")) || slice_eq(name, SLICE("storage"));

    return binary ? quantity_print(arena, entry->amount, QUANTITY_UNIT, QUANTITY_BINARY)
                  : resource_print(arena, entry->resource, entry->amount);
}

// Compares by name. The context is a pointer to the pointer to the symbols, so that these may be const.
static int by_name(const void *a, const void *b, void *symbols) {
    return symbol_cmp(*(const Symbols **)symbols, ((const ResourceAmount *)a)->resource,
                      ((const ResourceAmount *)b)->resource);
}

Slice resources_print_json(Arena *arena, const Symbols *symbols, const Resources *list) {
    Resources sorted = resources_copy(arena, list);
    Buffer buffer = {0};
    Slice text;

    if (sorted.count)
        qsort_r(sorted.items, sorted.count, sizeof *sorted.items, by_name, &symbols);
    buffer_append_char(&buffer, '{');
    for (uint32_t i = 0; i < sorted.count; i++) {
        Slice name = symbol_text(symbols, sorted.items[i].resource);
        Slice amount = print_named(arena, name, &sorted.items[i]);

        buffer_printf(&buffer, "%s\"%.*s\":\"%.*s\"", i ? "," : "", SLICE_ARG(name), SLICE_ARG(amount));
    }
    buffer_append_char(&buffer, '}');
    text = arena_slice(arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return text;
}
