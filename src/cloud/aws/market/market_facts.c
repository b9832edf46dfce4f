// One pass over each list, with maps by symbols.
#include "cloud/aws/market/market_facts.h"

static bool is_new_list(Arena *arena, MarketFacts *facts, const InstanceTypeVec *types) {
    for (vec_each(const InstanceType *const, first, &facts->seen)) {
        if (*first == types->items)
            return false;
    }
    vec_push(arena, &facts->seen, types->items);
    return true;
}

static void add_type(Arena *arena, const Symbols *symbols, MarketFacts *facts, const InstanceType *type) {
    if (u64_map_get(&facts->types_by_name, type->name) != INDEX_NONE)
        return;
    u64_map_put(arena, &facts->types_by_name, type->name, facts->types.count);
    vec_push(arena, &facts->types,
             (TypeFact){.name = symbol_text(symbols, type->name),
                        .milli_cpus = resources_get(&type->capacity, NAME_CPU),
                        .memory = resources_get(&type->capacity, NAME_MEMORY)});
}

static OfferingFact *find(const MarketFacts *facts, uint64_t hash, const OfferingFact *wanted) {
    uint32_t cursor = 0, at;

    while ((at = index_map_next(&facts->offerings_by_name, hash, &cursor)) != INDEX_NONE) {
        OfferingFact *fact = &facts->offerings.items[at];

        if (slice_eq(fact->type, wanted->type) && slice_eq(fact->zone, wanted->zone) &&
            slice_eq(fact->capacity_type, wanted->capacity_type))
            return fact;
    }
    return NULL;
}

static OfferingFact *find_or_add(Arena *arena, const Symbols *symbols, MarketFacts *facts, Symbol type, Symbol zone,
                                 Symbol capacity_type) {
    const OfferingFact wanted = {.type = symbol_text(symbols, type),
                                 .capacity_type = symbol_text(symbols, capacity_type),
                                 .zone = symbol_text(symbols, zone)};
    uint64_t hash = hash_combine(hash_combine(type, zone), capacity_type);
    OfferingFact *found = find(facts, hash, &wanted);

    if (found)
        return found;
    index_map_add(arena, &facts->offerings_by_name, hash, facts->offerings.count);
    vec_push(arena, &facts->offerings, wanted);
    return vec_last(&facts->offerings);
}

static void add_offering(Arena *arena, const Symbols *symbols, MarketFacts *facts, const InstanceType *type,
                         const Offering *offering) {
    OfferingFact *fact = find_or_add(arena, symbols, facts, type->name, offering->zone, offering->capacity_type);
    double price = offering->price_per_hour;

    fact->is_available |= offering->available;
    if (price > 0 && (!fact->price_per_hour || price < fact->price_per_hour))
        fact->price_per_hour = price;
}

void market_facts_add(Arena *arena, const Symbols *symbols, MarketFacts *facts, const InstanceTypeVec *types,
                      bool has_reserved) {
    if (!types->count || !is_new_list(arena, facts, types))
        return;
    for (vec_each(const InstanceType, type, types)) {
        add_type(arena, symbols, facts, type);
        for (vec_each(const Offering, offering, &type->offerings)) {
            add_offering(arena, symbols, facts, type, offering);
            if (has_reserved)
                find_or_add(arena, symbols, facts, type->name, offering->zone, NAME_RESERVED);
        }
    }
}
