// Nodes: labels, taints, room, and the order in which they are visited.
#include "sim/scheduler/cache/nodes.h"

#include "sim/scheduler/cache/identity.h"
#include "sim/scheduler/cache/index.h"
#include "sim/scheduler/cache/node_slots.h"
#include "sim/scheduler/cache/room.h"
#include "sim/scheduler/cache/shape.h"
#include "sim/scheduler/cache/view.h"

#include <stdlib.h>

static void zone_add(SchedulerCache *cache, uint32_t slot) {
    const CacheNode *node = &cache->nodes[slot];
    uint32_t i = 0;

    while (i < cache->zone_count && (cache->zones[i].zone != node->zone || cache->zones[i].region != node->region))
        i++;
    if (i == cache->zone_count) {
        GROW(cache->zones, cache->zone_capacity, ++cache->zone_count);
        memset(&cache->zones[i], 0, sizeof cache->zones[i]);
        cache->zones[i].zone = node->zone;
        cache->zones[i].region = node->region;
    }
    cache_list_add(&cache->zones[i].nodes, slot);
    cache->order_stale = true;
}

static void zone_remove(SchedulerCache *cache, uint32_t slot) {
    for (uint32_t i = 0; i < cache->zone_count; i++) {
        if (!cache_list_has(&cache->zones[i].nodes, slot))
            continue;
        cache_list_remove(&cache->zones[i].nodes, slot);
        if (cache->zones[i].nodes.count == 0) {
            free(cache->zones[i].nodes.items);
            memmove(&cache->zones[i], &cache->zones[i + 1], (cache->zone_count - i - 1) * sizeof *cache->zones);
            cache->zone_count--;
            memset(&cache->zones[cache->zone_count], 0, sizeof *cache->zones);
        }
        cache->order_stale = true;
        return;
    }
}

// Visiting order: one node of each zone in turn, zones and nodes by arrival.
const CacheList *cache_order(SchedulerCache *cache) {
    uint32_t left = 0;

    if (!cache->order_stale)
        return &cache->order;
    cache->order.count = 0;
    for (uint32_t i = 0; i < cache->zone_count; i++)
        left += cache->zones[i].nodes.count;
    for (uint32_t at = 0; cache->order.count < left; at++) {
        for (uint32_t i = 0; i < cache->zone_count; i++) {
            if (at < cache->zones[i].nodes.count)
                cache_list_add(&cache->order, cache->zones[i].nodes.items[at]);
        }
    }
    cache->order_stale = false;
    return &cache->order;
}

uint32_t cache_node_count(const SchedulerCache *cache) {
    return cache_order((SchedulerCache *)(uintptr_t)cache)->count;
}

static bool taints_differ(const TaintVec *a, const TaintVec *b) {
    return a->count != b->count || (a->count && memcmp(a->items, b->items, a->count * sizeof *a->items) != 0);
}

// Takes over labels and taints, and moves the node to its zone.
static void take_labels(SchedulerCache *cache, uint32_t slot, const Node *from) {
    CacheNode *node = &cache->nodes[slot];
    Symbol zone = labels_get(&from->meta.labels, NAME_ZONE), region = labels_get(&from->meta.labels, NAME_REGION);
    bool moved = zone != node->zone || region != node->region;

    arena_free(&node->arena);
    node->arena = (Arena){0};
    node->labels = cache_copy_labels(&node->arena, &from->meta.labels);
    cache_copy_taints(&node->arena, &from->taints, &node->taints);
    if (node->present && !moved)
        return;
    if (node->present)
        zone_remove(cache, slot);
    node->zone = zone;
    node->region = region;
    node->present = true;
    zone_add(cache, slot);
}

// Takes the allocatable resources; returns whether any changed.
static bool take_room(SchedulerCache *cache, uint32_t slot, const Resources *allocatable) {
    CacheNode *node = &cache->nodes[slot];
    uint32_t pods = (uint32_t)resources_get(allocatable, NAME_PODS);
    bool changed = pods != node->allowed_pods;

    node->allowed_pods = pods;
    for (vec_each(const ResourceAmount, amount, allocatable)) {
        if (amount->resource != NAME_PODS)
            cache_column(cache, amount->resource);
    }
    for (uint32_t i = 0; i < cache->column_count; i++) {
        int64_t amount = resources_get(allocatable, cache->columns[i].resource);

        changed |= cache->columns[i].allocatable[slot] != amount;
        cache->columns[i].allocatable[slot] = amount;
    }
    if (changed)
        cache_room_stamp(cache, slot);
    return changed;
}

static CacheNodeChange remove_node(SchedulerCache *cache, Symbol name) {
    uint32_t slot = cache_find_node(cache, name);
    CacheNodeChange change = {.node = slot, .removed = slot != CACHE_NONE};
    CacheNode *node;

    if (slot == CACHE_NONE)
        return change;
    node = &cache->nodes[slot];
    node->present = false;
    zone_remove(cache, slot);
    arena_free(&node->arena);
    node->arena = (Arena){0};
    node->labels = (Labels){0};
    memset(&node->taints, 0, sizeof node->taints);
    take_room(cache, slot, &(Resources){0});
    cache_node_stamp(cache, slot);
    while (node->nominated.count)
        cache_nominate(cache, node->nominated.items[0], CACHE_NONE);
    cache_node_leave(cache, slot);
    return change;
}

CacheNodeChange cache_apply_node(SchedulerCache *cache, Symbol name, const Node *from) {
    CacheNodeChange change = {0};
    CacheNode *node;

    cache->change++;
    if (!from)
        return remove_node(cache, name);
    change.node = cache_node_slot(cache, name);
    node = &cache->nodes[change.node];
    change.added = !node->present;
    change.labels = change.added || !labels_eq(&node->labels, &from->meta.labels);
    change.taints = change.added || taints_differ(&node->taints, &from->taints);
    if (change.labels || change.taints) {
        take_labels(cache, change.node, from);
        cache_node_stamp(cache, change.node);
    }
    change.room = take_room(cache, change.node, &from->allocatable);
    if (!change.labels && !change.taints && !change.room) {
        cache->change--;
        change.node = CACHE_NONE;
    }
    return change;
}
