// Tallies: numbers of selected pods per node, updated as pods come and go.
#include "sim/scheduler/cache/tally.h"

#include "sim/scheduler/cache/identity.h"
#include "sim/scheduler/cache/index.h"
#include "sim/scheduler/cache/match.h"
#include "sim/scheduler/cache/view.h"

#include <stdlib.h>

static bool in_namespaces(SchedulerCache *cache, const CacheTarget *target, Symbol ns) {
    const Namespace *namespace;

    for (uint32_t i = 0; i < target->namespaces.count; i++) {
        if (target->namespaces.items[i] == ns)
            return true;
    }
    if (!target->namespace_selector)
        return false;
    namespace = cache->sources.namespace(cache->sources.self, ns);
    return cache_selector_selects(cache->symbols, target->namespace_selector,
                                  namespace ? &namespace->meta.labels : &(Labels){0});
}

bool cache_tally_selects(SchedulerCache *cache, const CacheTally *tally, const CacheClass *class) {
    for (vec_each(const CacheTarget, target, &tally->targets)) {
        if (!in_namespaces(cache, target, class->ns) ||
            !cache_selector_selects(cache->symbols, target->selector, &class->labels))
            return false;
    }
    return true;
}

static void reserve_nodes(SchedulerCache *cache, CacheTally *tally) {
    GROW(tally->on_node, tally->on_node_capacity, cache->node_capacity);
}

static void tally_add(SchedulerCache *cache, uint32_t slot, uint32_t node, int sign, uint32_t by) {
    CacheTally *tally = &cache->tallies[slot];

    reserve_nodes(cache, tally);
    tally->on_node[node] += sign > 0 ? by : -by;
    tally->total += sign > 0 ? by : -by;
    for (uint32_t i = 0; i < tally->views.count; i++)
        cache_view_add(&cache->views[tally->views.items[i]], node, sign, by);
}

void cache_tallies_add_pod(SchedulerCache *cache, const CachePod *pod, int sign) {
    const CacheList *tallies = &cache->classes[pod->class_index].counted_in;

    for (uint32_t i = 0; i < tallies->count; i++) {
        if (pod->alive || cache->tallies[tallies->items[i]].kind != TALLY_ALIVE)
            tally_add(cache, tallies->items[i], pod->node, sign, 1);
    }
}

// Adds all counted pods of a class to a tally, or subtracts them.
static void add_class(SchedulerCache *cache, uint32_t slot, uint32_t class_index, int sign) {
    for (uint32_t i = cache->classes[class_index].first_pod; i != CACHE_NONE; i = cache->pods[i].next_in_class) {
        const CachePod *pod = &cache->pods[i];

        if (pod->node != CACHE_NONE && (pod->alive || cache->tallies[slot].kind != TALLY_ALIVE))
            tally_add(cache, slot, pod->node, sign, 1);
    }
}

void cache_tallies_meet_class(SchedulerCache *cache, uint32_t class_index) {
    CacheClass *class = &cache->classes[class_index];

    for (uint32_t i = 0; i < cache->tally_count; i++) {
        const CacheTally *tally = &cache->tallies[i];

        if (tally->refs && cache_tally_selects(cache, tally, class))
            cache_list_add(tally->kind == TALLY_HOLDERS ? &class->aimed_by : &class->counted_in, i);
    }
}

static void meet_classes(SchedulerCache *cache, uint32_t slot) {
    for (uint32_t i = 0; i < cache->class_count; i++) {
        CacheClass *class = &cache->classes[i];

        if (!class->refs || !cache_tally_selects(cache, &cache->tallies[slot], class))
            continue;
        if (cache->tallies[slot].kind == TALLY_HOLDERS) {
            cache_list_add(&class->aimed_by, slot);
            continue;
        }
        cache_list_add(&class->counted_in, slot);
        add_class(cache, slot, i, 1);
    }
}

static void write_tally(Buffer *buffer, const CacheTally *tally) {
    buffer->len = 0;
    cache_write_number(buffer, tally->kind);
    cache_write_number(buffer, (uint64_t)tally->role << 32 | (uint32_t)tally->weight);
    cache_write_number(buffer, tally->kind == TALLY_HOLDERS ? tally->view : 0);
    for (vec_each(const CacheTarget, target, &tally->targets)) {
        cache_write_selector(buffer, target->selector);
        cache_write_selector(buffer, target->namespace_selector);
        cache_write_number(buffer, target->namespaces.count);
        for (uint32_t i = 0; i < target->namespaces.count; i++)
            cache_write_number(buffer, target->namespaces.items[i]);
    }
}

static uint32_t tally_slot(SchedulerCache *cache) {
    if (cache->free_tallies.count)
        return cache->free_tallies.items[--cache->free_tallies.count];
    GROW(cache->tallies, cache->tally_capacity, cache->tally_count + 1);
    return cache->tally_count++;
}

uint32_t cache_tally_take(SchedulerCache *cache, CacheTally *wanted) {
    Slice identity;
    uint64_t hash;
    uint32_t slot;

    write_tally(&cache->scratch, wanted);
    identity = buffer_slice(&cache->scratch);
    hash = slice_hash(identity);
    slot = cache_index_first(&cache->tally_index, hash);
    while (slot != CACHE_NONE && !slice_eq(cache->tallies[slot].identity, identity))
        slot = cache->tally_index.next[slot];
    if (slot != CACHE_NONE) {
        arena_free(&wanted->arena);
        cache->tallies[slot].refs++;
        return slot;
    }
    slot = tally_slot(cache);
    wanted->identity = arena_slice(&wanted->arena, identity);
    wanted->hash = hash;
    wanted->refs = 1;
    for (vec_each(const CacheTarget, target, &wanted->targets))
        wanted->asks_namespaces |= target->namespace_selector != NULL;
    cache->tallies[slot] = *wanted;
    cache_index_add(&cache->tally_index, hash, slot);
    cache->tallies_live++;
    meet_classes(cache, slot);
    return slot;
}

void cache_tally_drop(SchedulerCache *cache, uint32_t slot) {
    CacheTally *tally = &cache->tallies[slot];

    if (--tally->refs)
        return;
    CHECK(tally->views.count == 0, "a view outlives its tally");
    for (uint32_t i = 0; i < cache->class_count; i++) {
        cache_list_remove(&cache->classes[i].counted_in, slot);
        cache_list_remove(&cache->classes[i].aimed_by, slot);
    }
    cache_index_remove(&cache->tally_index, tally->hash, slot);
    free(tally->on_node);
    free(tally->views.items);
    arena_free(&tally->arena);
    *tally = (CacheTally){0};
    cache_list_add(&cache->free_tallies, slot);
    cache->tallies_live--;
}

static void meet_again(SchedulerCache *cache, uint32_t slot, uint32_t class_index) {
    CacheClass *class = &cache->classes[class_index];
    const CacheTally *tally = &cache->tallies[slot];
    CacheList *list = tally->kind == TALLY_HOLDERS ? &class->aimed_by : &class->counted_in;
    bool was = cache_list_has(list, slot), is = cache_tally_selects(cache, tally, class);

    if (was == is)
        return;
    if (is)
        cache_list_add(list, slot);
    else
        cache_list_remove(list, slot);
    if (tally->kind != TALLY_HOLDERS)
        add_class(cache, slot, class_index, is ? 1 : -1);
}

void cache_apply_namespace(SchedulerCache *cache, Symbol name) {
    cache->change++;
    for (uint32_t i = 0; i < cache->tally_count; i++) {
        if (!cache->tallies[i].refs || !cache->tallies[i].asks_namespaces)
            continue;
        for (uint32_t j = 0; j < cache->class_count; j++) {
            if (cache->classes[j].refs && cache->classes[j].ns == name)
                meet_again(cache, i, j);
        }
    }
}
