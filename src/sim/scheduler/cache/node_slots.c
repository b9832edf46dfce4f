// Slots of nodes by name: used while the node exists, or a pod is on it or nominated for it.
#include "sim/scheduler/cache/node_slots.h"

#include "sim/scheduler/cache/index.h"
#include "sim/scheduler/cache/room.h"
#include "sim/scheduler/cache/view.h"

static int64_t *grow_row(int64_t *row, uint32_t from, uint32_t to) {
    uint32_t capacity = from;

    GROW(row, capacity, to);
    return row;
}

static void nodes_reserve(SchedulerCache *cache, uint32_t count) {
    uint32_t before = cache->node_capacity, after;

    if (count <= before)
        return;
    GROW(cache->nodes, cache->node_capacity, count);
    after = cache->node_capacity;
    for (uint32_t i = 0; i < cache->column_count; i++) {
        cache->columns[i].allocatable = grow_row(cache->columns[i].allocatable, before, after);
        cache->columns[i].requested = grow_row(cache->columns[i].requested, before, after);
    }
    cache->scored_cpu_milli = grow_row(cache->scored_cpu_milli, before, after);
    cache->scored_mem_bytes = grow_row(cache->scored_mem_bytes, before, after);
    GROW(cache->stamps, before, after);
    GROW(cache->reasons, cache->reasons_capacity, after);
}

uint32_t cache_node_slot(SchedulerCache *cache, Symbol name) {
    uint32_t slot = u64_map_get(&cache->node_names, name);

    if (slot != INDEX_NONE)
        return slot;
    if (cache->free_nodes.count) {
        slot = cache->free_nodes.items[--cache->free_nodes.count];
    } else {
        nodes_reserve(cache, cache->node_count + 1);
        slot = cache->node_count++;
    }
    cache->nodes[slot].name = name;
    cache->nodes[slot].first_pod = CACHE_NONE;
    u64_map_put(&cache->arena, &cache->node_names, name, slot);
    cache_node_stamp(cache, slot);
    cache_room_stamp(cache, slot);
    return slot;
}

void cache_node_leave(SchedulerCache *cache, uint32_t slot) {
    CacheNode *node = &cache->nodes[slot];

    if (node->present || node->pod_count || node->nominated.count || node->name == NAME_EMPTY)
        return;
    u64_map_put(&cache->arena, &cache->node_names, node->name, INDEX_NONE);
    node->name = NAME_EMPTY;
    node->port_count = 0;
    cache_list_add(&cache->free_nodes, slot);
}

uint32_t cache_find_node(const SchedulerCache *cache, Symbol name) {
    uint32_t slot = u64_map_get(&cache->node_names, name);

    return slot != INDEX_NONE && cache->nodes[slot].present ? slot : CACHE_NONE;
}

Symbol cache_node_name(const SchedulerCache *cache, uint32_t node) {
    return cache->nodes[node].name;
}
