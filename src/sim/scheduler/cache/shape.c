// Shapes: requirements on a node alone. Their verdicts are cached until the node changes.
#include "sim/scheduler/cache/shape.h"

#include "sim/scheduler/cache/identity.h"
#include "sim/scheduler/cache/index.h"
#include "sim/scheduler/cache/match.h"

#include <stdlib.h>

enum { VERDICTS_MAX = 256, SCORED_CPU_MILLI = 100, SCORED_MEM_BYTES = 200 * 1024 * 1024 };

uint32_t cache_column(SchedulerCache *cache, Symbol resource) {
    for (uint32_t i = 0; i < cache->column_count; i++) {
        if (cache->columns[i].resource == resource)
            return i;
    }
    CHECK(cache->column_count < CACHE_RESOURCES, "more than %d kinds of resources", CACHE_RESOURCES);
    cache->columns[cache->column_count] = (CacheColumn){
        .resource = resource,
        .allocatable = NEW_ARRAY(int64_t, cache->node_capacity),
        .requested = NEW_ARRAY(int64_t, cache->node_capacity),
    };
    return cache->column_count++;
}

static void read_requests(SchedulerCache *cache, CacheShape *shape, const CacheExtras *extras) {
    for (vec_each(const ResourceAmount, amount, &shape->spec.requests)) {
        if (amount->resource == NAME_CPU)
            shape->cpu_milli = amount->amount;
        if (amount->resource == NAME_MEMORY)
            shape->mem_bytes = amount->amount;
        if (amount->resource != NAME_PODS && amount->amount > 0)
            vec_push(&shape->arena, &shape->requests,
                     (CacheRequest){cache_column(cache, amount->resource), amount->amount});
    }
    shape->scored_cpu_milli = shape->cpu_milli ? shape->cpu_milli : SCORED_CPU_MILLI;
    shape->scored_mem_bytes = shape->mem_bytes ? shape->mem_bytes : SCORED_MEM_BYTES;
    if (extras && extras->scored_cpu_milli)
        shape->scored_cpu_milli = extras->scored_cpu_milli;
    if (extras && extras->scored_mem_bytes)
        shape->scored_mem_bytes = extras->scored_mem_bytes;
}

static uint32_t shape_find(const SchedulerCache *cache, uint64_t hash, Slice identity) {
    uint32_t i = cache_index_first(&cache->shape_index, hash);

    while (i != CACHE_NONE && !slice_eq(cache->shapes[i].identity, identity))
        i = cache->shape_index.next[i];
    return i;
}

uint32_t cache_shape_take(SchedulerCache *cache, const Pod *pod, const CacheExtras *extras) {
    uint64_t hash;
    uint32_t slot;
    CacheShape *shape;

    cache->scratch.len = 0;
    cache_write_shape(&cache->scratch, pod->spec, pod->priority, extras);
    hash = slice_hash(buffer_slice(&cache->scratch));
    slot = shape_find(cache, hash, buffer_slice(&cache->scratch));
    if (slot != CACHE_NONE) {
        cache->shapes[slot].refs++;
        return slot;
    }
    if (cache->free_shapes.count) {
        slot = cache->free_shapes.items[--cache->free_shapes.count];
    } else {
        slot = cache->shape_count++;
        GROW(cache->shapes, cache->shape_capacity, cache->shape_count);
    }
    shape = &cache->shapes[slot];
    *shape = (CacheShape){.refs = 1, .hash = hash, .priority = pod->priority};
    shape->identity = arena_slice(&shape->arena, buffer_slice(&cache->scratch));
    shape->spec = cache_copy_spec(&shape->arena, pod->spec);
    for (vec_each(const NodeTerm, term, &shape->spec.required_node_terms))
        shape->has_fields |= term->has_match_fields;
    read_requests(cache, shape, extras);
    cache_index_add(&cache->shape_index, hash, slot);
    cache->shapes_live++;
    return slot;
}

bool cache_shape_is(SchedulerCache *cache, uint32_t slot, const Pod *pod) {
    Slice identity = cache->shapes[slot].identity, now;

    cache->scratch.len = 0;
    cache_write_shape(&cache->scratch, pod->spec, pod->priority, NULL);
    now = buffer_slice(&cache->scratch);
    return cache->shapes[slot].priority == pod->priority &&
           slice_eq(slice_from(identity, CACHE_EXTRAS_BYTES), slice_from(now, CACHE_EXTRAS_BYTES));
}

static void forget_verdicts(SchedulerCache *cache, CacheShape *shape) {
    cache->verdicts_live -= shape->verdicts != NULL;
    free(shape->verdicts);
    shape->verdicts = NULL;
    shape->verdict_count = 0;
}

void cache_shape_drop(SchedulerCache *cache, uint32_t slot) {
    CacheShape *shape = &cache->shapes[slot];

    if (--shape->refs)
        return;
    cache_index_remove(&cache->shape_index, shape->hash, slot);
    forget_verdicts(cache, shape);
    arena_free(&shape->arena);
    cache_list_add(&cache->free_shapes, slot);
    cache->shapes_live--;
}

// Drops the verdicts of the least recently used shape.
static void forget_oldest(SchedulerCache *cache) {
    CacheShape *oldest = NULL;

    for (uint32_t i = 0; i < cache->shape_count; i++) {
        CacheShape *shape = &cache->shapes[i];

        if (shape->verdicts && (!oldest || shape->used_at < oldest->used_at))
            oldest = shape;
    }
    if (oldest)
        forget_verdicts(cache, oldest);
}

static bool is_cordoned(const CacheNode *node) {
    for (vec_each(const Taint, taint, &node->taints)) {
        if (taint->key == NAME_UNSCHEDULABLE && taint->effect == EFFECT_NO_SCHEDULE)
            return true;
    }
    return false;
}

static bool tolerates_cordon(const Symbols *symbols, const PodSpec *spec) {
    Taint cordon = {.key = NAME_UNSCHEDULABLE, .effect = EFFECT_NO_SCHEDULE};
    TaintVec taints = {&cordon, 1, 1};

    return cache_taint_in_the_way(symbols, &spec->tolerations, &taints) == NULL;
}

static CacheReason refuse(const Symbols *symbols, const PodSpec *spec, const CachePin *pins, const CacheNode *node) {
    if (is_cordoned(node) && !tolerates_cordon(symbols, spec))
        return REASON_UNSCHEDULABLE;
    if (cache_taint_in_the_way(symbols, &spec->tolerations, &node->taints))
        return REASON_TAINT;
    return cache_affinity_holds(symbols, spec, pins, node) ? REASON_FITS : REASON_NODE_AFFINITY;
}

static uint16_t count_intolerable(const Symbols *symbols, const PodSpec *spec, const TaintVec *taints) {
    uint16_t count = 0;

    for (vec_each(const Taint, taint, taints)) {
        if (taint->effect == EFFECT_PREFER_NO_SCHEDULE && !taint_is_tolerated(symbols, taint, &spec->tolerations))
            count++;
    }
    return count;
}

static void judge(const SchedulerCache *cache, const PodSpec *spec, const CachePin *pins, uint32_t node,
                  CacheVerdict *ret_verdict) {
    const CacheNode *at = &cache->nodes[node];
    CacheVerdict verdict = {.stamps.side = cache->stamps[node].side};

    verdict.side = (uint8_t)refuse(cache->symbols, spec, pins, at);
    verdict.intolerable = count_intolerable(cache->symbols, spec, &at->taints);
    for (vec_each(const NodeTerm, term, &spec->preferred_node_terms)) {
        if (term->weight && cache_term_holds(cache->symbols, term, NULL, &at->labels, at->name))
            verdict.preference += term->weight;
    }
    *ret_verdict = verdict;
}

CacheVerdict *cache_shape_look(SchedulerCache *cache, uint32_t slot, const CachePin *pins, uint32_t node) {
    CacheShape *shape = &cache->shapes[slot];

    if (shape->has_fields) {
        judge(cache, &shape->spec, pins, node, &cache->odd);
        return &cache->odd;
    }
    if (shape->verdict_count < cache->node_count) {
        if (!shape->verdicts && ++cache->verdicts_live > VERDICTS_MAX)
            forget_oldest(cache);
        GROW(shape->verdicts, shape->verdict_count, cache->node_count);
    }
    shape->used_at = cache->counts.attempts;
    if (shape->verdicts[node].stamps.side != cache->stamps[node].side)
        judge(cache, &shape->spec, NULL, node, &shape->verdicts[node]);
    return &shape->verdicts[node];
}
