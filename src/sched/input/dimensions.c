// Collects the resources of a solve and numbers them.
#include "sched/input/dimensions.h"

#include <stdlib.h>

#include "sched/input/pool.h"

typedef struct {
    ClassTable *table;
    SymbolVec list;
    IndexMap seen;
    bool rare; // a resource is counted that not every type has
} DimensionList;

static void dimension_add(DimensionList *list, Symbol symbol) {
    if (u64_map_get(&list->seen, symbol) != INDEX_NONE)
        return;
    u64_map_put(list->table->arena, &list->seen, symbol, 0);
    vec_push(list->table->arena, &list->list, symbol);
    list->rare |=
        symbol != NAME_CPU && symbol != NAME_MEMORY && symbol != NAME_PODS && symbol != NAME_EPHEMERAL_STORAGE;
}

static void dimensions_of(DimensionList *list, const Resources *resources) {
    for (uint32_t i = 0; i < resources->count; i++) {
        if (resources->items[i].amount != 0)
            dimension_add(list, resources->items[i].resource);
    }
}

static int by_text(const void *a, const void *b, void *symbols) {
    return symbol_cmp(symbols, *(const Symbol *)a, *(const Symbol *)b);
}

static void dimensions_sort(DimensionList *list) {
    if (list->list.count)
        qsort_r(list->list.items, list->list.count, sizeof(Symbol), by_text, &list->table->input->cluster->symbols);
}

static void counted_resources(DimensionList *list) {
    const PlanInput *input = list->table->input;

    dimension_add(list, NAME_CPU);
    dimension_add(list, NAME_MEMORY);
    dimension_add(list, NAME_PODS);
    for (vec_each(const PodSpec *const, spec, &list->table->specs))
        dimensions_of(list, &(*spec)->requests);
    for (uint32_t i = 0; i < input->cluster->daemon_sets.count; i++)
        dimensions_of(list, list->table->daemon_requests[i]);
    for (vec_each(PlanPool, pool, &input->pools)) {
        for (uint32_t i = 0; i < pool->pool->limits.count; i++) {
            if (pool->pool->limits.items[i].resource != NAME_NODES)
                dimension_add(list, pool->pool->limits.items[i].resource);
        }
    }
    dimensions_sort(list);
}

static void had_resources(Arena *arena, IndexMap *had, const Resources *resources) {
    for (uint32_t i = 0; i < resources->count; i++)
        u64_map_put(arena, had, resources->items[i].resource, 1);
}

// The resources that some type or node has, or some pool limits.
static IndexMap find_had_resources(ClassTable *table, Arena *scratch) {
    const PlanInput *input = table->input;
    IndexMap had = {0};

    u64_map_put(scratch, &had, NAME_CPU, 1);
    u64_map_put(scratch, &had, NAME_MEMORY, 1);
    u64_map_put(scratch, &had, NAME_PODS, 1);
    for (uint32_t i = 0; i < input->pools.count; i++) {
        had_resources(scratch, &had, &input->pools.items[i].pool->limits);
        for (uint32_t j = 0; j < input->pools.items[i].types->count && plan_pool_has_new_types(input, i); j++) {
            const InstanceType *type = &input->pools.items[i].types->items[j];

            had_resources(scratch, &had, &type->capacity);
            for (vec_each(const Offering, offering, &type->offerings))
                had_resources(scratch, &had, &offering->capacity_override);
        }
    }
    for (vec_each(const NodeView, node, &input->nodes))
        had_resources(scratch, &had, &node->allocatable);
    return had;
}

// Resources that nothing has share the dimension of the first of them, since pods may request any number of names.
static void number_resources(ClassTable *table, const DimensionList *list) {
    Dimensions *dimensions = &table->dimensions;
    Arena scratch = {0};
    IndexMap had = {0};
    uint32_t nowhere = INDEX_NONE;

    if (list->rare)
        had = find_had_resources(table, &scratch);
    for (vec_each(const Symbol, resource, &list->list)) {
        bool shared = list->rare && u64_map_get(&had, *resource) == INDEX_NONE;

        if (shared && nowhere != INDEX_NONE) {
            u64_map_put(table->arena, &dimensions->index, *resource, nowhere);
            continue;
        }
        if (shared)
            nowhere = dimensions->count;
        u64_map_put(table->arena, &dimensions->index, *resource, dimensions->count);
        dimensions->resources[dimensions->count++] = *resource;
    }
    arena_free(&scratch);
}

void dimensions_make(ClassTable *table) {
    DimensionList resources = {.table = table}, drivers = {.table = table};
    Dimensions *dimensions = &table->dimensions;

    counted_resources(&resources);
    for (uint32_t i = 0; i < table->input->pending.count && table->has_volumes; i++) {
        for (vec_each(VolumeUse, use, &table->volumes[i].uses))
            dimension_add(&drivers, use->driver);
    }
    dimensions_sort(&drivers);
    dimensions->resources = arena_array(table->arena, Symbol, resources.list.count + drivers.list.count);
    dimensions->drivers = arena_array(table->arena, Symbol, resources.list.count + drivers.list.count);
    number_resources(table, &resources);
    for (vec_each(const Symbol, driver, &drivers.list)) {
        u64_map_put(table->arena, &dimensions->driver_index, *driver, dimensions->count);
        dimensions->drivers[dimensions->count++] = *driver;
    }
}
