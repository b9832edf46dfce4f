// Finds the requirement that leaves no instance type, for the text of a nearest miss.
#include "sched/explain/culprit.h"

#include <stdlib.h>

// The types that are left so far.
typedef struct {
    const Explanation *e;
    const InstanceTypeVec *types;
    bool *left;
} Candidates;

static bool offering_meets(const Candidates *candidates, const InstanceType *type, const Requirement *requirement) {
    const Symbols *symbols = candidates->e->solver->universe.symbols;
    bool named = false;

    for (vec_each(const Offering, offering, &type->offerings)) {
        const Requirement *own = requirements_get(&offering->requirements, requirement->key);

        named |= own != NULL;
        if (own && offering->available && requirement_intersects(symbols, own, requirement))
            return true;
    }
    return !named;
}

// A label that neither the type nor its offerings have is set by the pool, and not tested here.
static bool meets(const Candidates *candidates, const InstanceType *type, const Requirement *requirement) {
    const Requirement *own = requirements_get(&type->requirements, requirement->key);

    if (own && !requirement_intersects(candidates->e->solver->universe.symbols, own, requirement))
        return false;
    return offering_meets(candidates, type, requirement);
}

static uint32_t count_meeting(const Candidates *candidates, const Requirement *requirement) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < candidates->types->count; i++)
        count += candidates->left[i] && meets(candidates, &candidates->types->items[i], requirement);
    return count;
}

static void take_out(Candidates *candidates, const Requirement *requirement) {
    for (uint32_t i = 0; i < candidates->types->count; i++)
        candidates->left[i] = candidates->left[i] && meets(candidates, &candidates->types->items[i], requirement);
}

static int by_key(const void *a, const void *b, void *symbols) {
    return symbol_cmp(symbols, ((const Requirement *)a)->key, ((const Requirement *)b)->key);
}

Slice explain_culprit(const Explanation *e, const Requirements *asked) {
    Arena *arena = e->solver->arena;
    Symbols *symbols = e->solver->universe.symbols;
    Candidates candidates = {
        .e = e, .types = e->pool->table->types, .left = arena_array(arena, bool, e->pool->table->types->count)};
    Requirement *sorted = arena_copy(arena, asked->items, asked->count * sizeof *sorted);

    memset(candidates.left, true, candidates.types->count);
    if (asked->count)
        qsort_r(sorted, asked->count, sizeof *sorted, by_key, symbols);
    for (uint32_t i = 0; i < asked->count; i++) { // one that leaves none by itself
        if (!count_meeting(&candidates, &sorted[i]))
            return requirement_print(arena, symbols, &sorted[i]);
    }
    for (uint32_t i = 0; i < asked->count; i++) {
        if (!count_meeting(&candidates, &sorted[i]))
            return arena_printf(arena, "%.*s beside the other requirements",
                                SLICE_ARG(requirement_print(arena, symbols, &sorted[i])));
        take_out(&candidates, &sorted[i]);
    }
    return SLICE("");
}
