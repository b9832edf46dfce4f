// Instance types: looking one up, capacity and allocatable.
#include "model/instance_type.h"

const InstanceType *instance_type_find(const InstanceTypeVec *types, Symbol name) {
    for (vec_each(const InstanceType, type, types)) {
        if (type->name == name)
            return type;
    }
    return NULL;
}

// Sets the amounts of `override` in `list`.
static void replace(Arena *arena, Resources *list, const Resources *override) {
    for (uint32_t i = 0; i < override->count; i++)
        resources_set(arena, list, override->items[i].resource, override->items[i].amount);
}

Resources instance_type_capacity(Arena *arena, const InstanceType *type, const Offering *offering) {
    Resources capacity = resources_copy(arena, &type->capacity);

    if (offering && offering->has_override)
        replace(arena, &capacity, &offering->capacity_override);
    return capacity;
}

static Resources overhead_of(Arena *arena, const InstanceType *type, const Offering *offering) {
    Resources overhead = resources_copy(arena, &type->overhead);

    if (offering && offering->has_override)
        replace(arena, &overhead, &offering->overhead_override);
    return overhead;
}

// Subtracts huge pages from memory, down to 0.
static void take_huge_pages(Arena *arena, const Symbols *symbols, const Resources *capacity, Resources *allocatable) {
    for (uint32_t i = 0; i < capacity->count; i++) {
        if (slice_starts_with(symbol_text(symbols, capacity->items[i].resource), SLICE("hugepages-"))) {
            int64_t memory = resources_get(allocatable, NAME_MEMORY) - capacity->items[i].amount;

            resources_set(arena, allocatable, NAME_MEMORY, memory > 0 ? memory : 0);
        }
    }
}

Resources instance_type_allocatable(Arena *arena, const Symbols *symbols, const InstanceType *type,
                                    const Offering *offering) {
    Resources capacity = instance_type_capacity(arena, type, offering);
    Resources overhead = overhead_of(arena, type, offering);
    Resources allocatable = resources_copy(arena, &capacity);

    for (uint32_t i = 0; i < allocatable.count; i++)
        allocatable.items[i].amount -= resources_get(&overhead, allocatable.items[i].resource);
    take_huge_pages(arena, symbols, &capacity, &allocatable);
    return allocatable;
}
