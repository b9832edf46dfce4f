// Types of other families instead of the dearest.
#include "cloud/aws/launch/families.h"

// "m5" of "m5.large".
static Slice family_of(const Symbols *symbols, const InstanceType *type) {
    Slice name = symbol_text(symbols, type->name);
    ptrdiff_t dot = slice_find(name, '.');

    return dot < 0 ? name : slice_first(name, (size_t)dot);
}

// How many of the first types are of the family.
static uint32_t count_of(const Symbols *symbols, const InstanceTypeVec *types, uint32_t first, Slice family) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < first; i++)
        count += slice_eq(family_of(symbols, &types->items[i]), family);
    return count;
}

// Families among the first types, counted up to LAUNCH_FAMILIES_MIN.
static uint32_t count_families(const Symbols *symbols, const InstanceTypeVec *types, uint32_t first) {
    Slice seen[LAUNCH_FAMILIES_MIN];
    uint32_t count = 0;

    for (uint32_t i = 0; i < first && count < LAUNCH_FAMILIES_MIN; i++) {
        Slice family = family_of(symbols, &types->items[i]);
        bool is_new = true;

        for (uint32_t j = 0; j < count; j++)
            is_new = is_new && !slice_eq(seen[j], family);
        if (is_new)
            seen[count++] = family;
    }
    return count;
}

// The cheapest type behind the first ones whose family they lack; the number of types: there is none.
static uint32_t find_newcomer(const Symbols *symbols, const InstanceTypeVec *types, uint32_t first) {
    uint32_t at = first;

    while (at < types->count && count_of(symbols, types, first, family_of(symbols, &types->items[at])))
        at++;
    return at;
}

// The dearest of the first types that is not alone in its family; `first`: each is.
static uint32_t find_leaver(const Symbols *symbols, const InstanceTypeVec *types, uint32_t first) {
    for (uint32_t i = first; i-- > 0;) {
        if (count_of(symbols, types, first, family_of(symbols, &types->items[i])) > 1)
            return i;
    }
    return first;
}

void launch_keep_families(const Symbols *symbols, InstanceTypeVec *types, uint32_t most) {
    if (types->count <= most)
        return;
    while (count_families(symbols, types, most) < LAUNCH_FAMILIES_MIN) {
        uint32_t newcomer = find_newcomer(symbols, types, most), leaver = find_leaver(symbols, types, most);
        InstanceType joins;

        if (newcomer == types->count || leaver == most)
            break;
        joins = types->items[newcomer];
        memmove(&types->items[leaver], &types->items[leaver + 1], (most - 1 - leaver) * sizeof *types->items);
        types->items[most - 1] = joins; // the dearest of them
    }
    types->count = most;
}
