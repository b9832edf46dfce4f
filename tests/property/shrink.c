// Shrinks a case by leaving out halves, quarters, …, single objects.
#include "shrink.h"

typedef struct {
    Value *manifests, *catalog;
    uint32_t tries;
    StillFails still_fails;
    void *context;
} Shrinking;

// Removes `count` elements from `from` on, and restores them unless the case still fails without them.
static bool try_without(Shrinking *shrinking, ValueList *list, uint32_t from, uint32_t count) {
    Arena arena = {0};
    Value *saved;
    uint32_t before = list->count;
    bool fails;

    if (shrinking->tries == 0)
        return false;
    shrinking->tries--;
    saved = arena_copy(&arena, list->items, before * sizeof *saved);
    memmove(&list->items[from], &list->items[from + count], (before - from - count) * sizeof *list->items);
    list->count = before - count;
    fails = shrinking->still_fails(shrinking->context, shrinking->manifests, shrinking->catalog);
    if (!fails) {
        memcpy(list->items, saved, before * sizeof *saved);
        list->count = before;
    }
    arena_free(&arena);
    return fails;
}

static bool shrink_list(Shrinking *shrinking, ValueList *list) {
    bool progress = false;

    for (uint32_t chunk = list->count / 2; chunk > 0; chunk /= 2) {
        for (uint32_t from = list->count; from >= chunk && from > 0;) {
            from -= chunk;
            if (from + chunk <= list->count)
                progress |= try_without(shrinking, list, from, chunk);
        }
    }
    return progress;
}

void shrink_case(Value *manifests, Value *catalog, uint32_t tries, StillFails still_fails, void *context) {
    Shrinking shrinking = {manifests, catalog, tries, still_fails, context};
    Value *items = NULL;

    for (uint32_t i = 0; i < manifests->map.count; i++) {
        if (slice_eq_text(manifests->map.items[i].key, "items"))
            items = &manifests->map.items[i].value;
    }
    for (bool progress = items != NULL; progress;) {
        progress = shrink_list(&shrinking, &items->list);
        progress |= shrink_list(&shrinking, &catalog->list);
    }
}
