// Making, freeing and reading the cache.
#include "base/alloc.h"
#include "sim/scheduler/cache/index.h"
#include "sim/scheduler/cache/shape.h"

#include <stdlib.h>

SchedulerCache *cache_new(Symbols *symbols, const CacheSources *sources, Random random) {
    SchedulerCache *cache = NEW(SchedulerCache);

    cache->symbols = symbols;
    cache->sources = *sources;
    cache->random = random;
    cache->epoch = 1;
    cache->services_epoch = 1;
    cache_column(cache, NAME_CPU);
    cache_column(cache, NAME_MEMORY);
    return cache;
}

void cache_set_nodes_to_score(SchedulerCache *cache, uint32_t percentage) {
    cache->percentage = percentage;
}

void cache_set_name_taints(SchedulerCache *cache, bool name_taints) {
    cache->name_taints = name_taints;
}

static void free_nodes(SchedulerCache *cache) {
    for (uint32_t i = 0; i < cache->node_count; i++) {
        arena_free(&cache->nodes[i].arena);
        free(cache->nodes[i].nominated.items);
        free(cache->nodes[i].ports);
    }
    for (uint32_t i = 0; i < cache->column_count; i++) {
        free(cache->columns[i].allocatable);
        free(cache->columns[i].requested);
    }
    for (uint32_t i = 0; i < cache->zone_count; i++)
        free(cache->zones[i].nodes.items);
    free(cache->zones);
    free(cache->nodes);
    free(cache->free_nodes.items);
    free(cache->order.items);
    free(cache->log.items);
    free(cache->scored_cpu_milli);
    free(cache->scored_mem_bytes);
    free(cache->stamps);
    free(cache->priorities);
    free(cache->reasons);
    free(cache->feasible.items);
}

static void free_keys(SchedulerCache *cache) {
    for (uint32_t i = 0; i < cache->key_count; i++) {
        free(cache->keys[i].values);
        free(cache->keys[i].unused.items);
        free(cache->keys[i].of_node);
    }
    free(cache->keys);
}

void cache_free(SchedulerCache *cache) {
    if (!cache)
        return;
    for (uint32_t i = 0; i < cache->pod_capacity; i++)
        cache_forget_pod(cache, i);
    CHECK(cache->classes_live == 0 && cache->shapes_live == 0 && cache->tallies_live == 0 && cache->views_live == 0,
          "%u classes, %u shapes, %u tallies, %u views left", cache->classes_live, cache->shapes_live,
          cache->tallies_live, cache->views_live);
    free_nodes(cache);
    free_keys(cache);
    cache_index_free(&cache->shape_index);
    cache_index_free(&cache->class_index);
    cache_index_free(&cache->tally_index);
    free(cache->shapes);
    free(cache->classes);
    free(cache->tallies);
    free(cache->views);
    free(cache->free_shapes.items);
    free(cache->free_classes.items);
    free(cache->free_tallies.items);
    free(cache->free_views.items);
    free(cache->pods);
    buffer_free(&cache->scratch);
    arena_free(&cache->attempt_arena);
    arena_free(&cache->arena);
    free(cache);
}

void cache_services_changed(SchedulerCache *cache) {
    cache->services_epoch++;
    cache->change++;
}

void cache_touch(SchedulerCache *cache) {
    cache->change++;
}

uint32_t cache_pod_node(const SchedulerCache *cache, uint32_t slot) {
    return slot < cache->pod_capacity && cache->pods[slot].used ? cache->pods[slot].node : CACHE_NONE;
}

bool cache_pod_is_deleting(const SchedulerCache *cache, uint32_t slot) {
    return slot < cache->pod_capacity && cache->pods[slot].used && cache->pods[slot].deleting;
}

uint32_t cache_class_of(const SchedulerCache *cache, uint32_t slot) {
    return cache->pods[slot].class_index;
}

CacheCounts cache_counts(const SchedulerCache *cache) {
    CacheCounts counts = cache->counts;

    counts.shapes = cache->shapes_live;
    counts.classes = cache->classes_live;
    counts.tallies = cache->tallies_live;
    counts.views = cache->views_live;
    return counts;
}
