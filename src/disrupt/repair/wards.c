// Nodes by what may make them sick together.
#include "disrupt/repair/wards.h"

static uint64_t key_of(WardKind kind, Symbol name) {
    return (uint64_t)kind << 32 | name;
}

Symbol ward_name(const NodeView *view, WardKind kind) {
    Symbol zone;

    switch (kind) {
    case WARD_POOL:
        return view->pool;
    case WARD_ZONE:
        zone = labels_get(&view->labels, NAME_ZONE);
        return zone == INDEX_NONE ? NAME_EMPTY : zone;
    case WARD_IMAGE:
    case WARD_KINDS:
        break;
    }
    return view->claim->image_id;
}

const Ward *ward_find(const Wards *wards, WardKind kind, Symbol name) {
    uint32_t at = u64_map_get(&wards->index, key_of(kind, name));

    return at == INDEX_NONE ? NULL : &wards->items.items[at];
}

static Ward *ward_add(Arena *arena, Wards *wards, WardKind kind, Symbol name) {
    uint32_t at = u64_map_get(&wards->index, key_of(kind, name));

    if (at != INDEX_NONE)
        return &wards->items.items[at];
    u64_map_put(arena, &wards->index, key_of(kind, name), wards->items.count);
    vec_push(arena, &wards->items, (Ward){0});
    return vec_last(&wards->items);
}

static void count_node(Arena *arena, Wards *wards, const NodeView *view, const Sickness *sickness) {
    wards->sick += sickness->is_watched;
    if (sickness->awaits_ns < wards->awaits_ns)
        wards->awaits_ns = sickness->awaits_ns;
    for (WardKind kind = 0; kind < WARD_KINDS; kind++) {
        Symbol name = ward_name(view, kind);
        Ward *ward;

        if (name == NAME_EMPTY)
            continue;
        ward = ward_add(arena, wards, kind, name);
        ward->total++;
        ward->sick += sickness->is_watched;
    }
}

static void count_repair(Wards *wards, WardKind kind, const Symbols *symbols, Slice name, int64_t at_ns) {
    Symbol symbol = name.len ? symbol_find(symbols, name) : INDEX_NONE;
    uint32_t at = symbol == INDEX_NONE ? INDEX_NONE : u64_map_get(&wards->index, key_of(kind, symbol));
    Ward *ward;

    if (at >= wards->items.count)
        return;
    ward = &wards->items.items[at];
    if (!ward->repaired++ || at_ns < ward->repaired_ns)
        ward->repaired_ns = at_ns;
}

static void count_history(Arena *arena, Wards *wards, const DisruptFacts *facts, const NodePool *pool) {
    const Symbols *symbols = &facts->cluster->symbols;
    PastRepairVec repairs = repair_history_read(arena, pool, symbols, facts->wall_ns);

    for (vec_each(const PastRepair, repair, &repairs)) {
        count_repair(wards, WARD_POOL, symbols, symbol_text(symbols, pool->meta.name), repair->at_ns);
        count_repair(wards, WARD_ZONE, symbols, repair->zone, repair->at_ns);
        count_repair(wards, WARD_IMAGE, symbols, repair->image, repair->at_ns);
    }
}

Wards wards_make(Arena *arena, const DisruptFacts *facts) {
    Wards wards = {.awaits_ns = INT64_MAX};

    for (uint32_t i = 0; i < facts->nodes.count; i++) {
        const NodeView *view = &facts->nodes.items[i];
        Sickness sickness;

        if (!view->claim || !view->node || view->claim->meta.deleting)
            continue;
        sickness = sickness_in(facts, i);
        count_node(arena, &wards, view, &sickness);
    }
    for (vec_each(const PlanPool, pool, &facts->pools))
        count_history(arena, &wards, facts, pool->pool);
    return wards;
}
