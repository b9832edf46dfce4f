// Instances by their ids.
#include "cloud/aws/events/known.h"

#include "cloud/aws/provider_id.h"

KnownInstances known_instances(Arena *arena, const Symbols *symbols, const CloudInstanceVec *instances) {
    KnownInstances known = {.instances = instances};

    for (uint32_t i = 0; i < instances->count; i++) {
        Slice id = provider_instance_id(symbol_text(symbols, instances->items[i].provider_id));

        vec_push(arena, &known.ids, id);
        if (id.len)
            index_map_add(arena, &known.by_id, slice_hash(id), i);
    }
    return known;
}

const CloudInstance *known_instance_find(const KnownInstances *known, Slice id) {
    uint32_t cursor = 0, first = INDEX_NONE, at;

    while ((at = index_map_next(&known->by_id, slice_hash(id), &cursor)) != INDEX_NONE) {
        if (at < first && slice_eq(known->ids.items[at], id))
            first = at;
    }
    return first == INDEX_NONE ? NULL : &known->instances->items[first];
}
