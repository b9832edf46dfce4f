// Shapes: what a pod asks of a node whatever else runs there. Their verdicts are remembered until the node changes.
#include <stdlib.h>

#include "sim/scheduler/usher_parts.h"

enum { VERDICTS_MAX = 256, SCORED_CPU_MILLI = 100, SCORED_MEM_BYTES = 200 * 1024 * 1024 };

uint32_t usher_column(Usher *usher, Symbol resource) {
    for (uint32_t i = 0; i < usher->column_count; i++) {
        if (usher->columns[i].resource == resource)
            return i;
    }
    CHECK(usher->column_count < USHER_RESOURCES, "more than %d kinds of resources", USHER_RESOURCES);
    usher->columns[usher->column_count] = (UsherColumn){
        .resource = resource,
        .allocatable = calloc(usher->node_capacity ? usher->node_capacity : 1, sizeof(int64_t)),
        .requested = calloc(usher->node_capacity ? usher->node_capacity : 1, sizeof(int64_t)),
    };
    return usher->column_count++;
}

static void read_requests(Usher *usher, UsherShape *shape, const UsherExtras *extras) {
    for (vec_each(const ResourceAmount, amount, &shape->spec.requests)) {
        if (amount->resource == NAME_CPU)
            shape->cpu_milli = amount->amount;
        if (amount->resource == NAME_MEMORY)
            shape->mem_bytes = amount->amount;
        if (amount->resource != NAME_PODS && amount->amount > 0)
            vec_push(&shape->arena, &shape->requests,
                     (UsherRequest){usher_column(usher, amount->resource), amount->amount});
    }
    shape->scored_cpu_milli = shape->cpu_milli ? shape->cpu_milli : SCORED_CPU_MILLI;
    shape->scored_mem_bytes = shape->mem_bytes ? shape->mem_bytes : SCORED_MEM_BYTES;
    if (extras && extras->scored_cpu_milli)
        shape->scored_cpu_milli = extras->scored_cpu_milli;
    if (extras && extras->scored_mem_bytes)
        shape->scored_mem_bytes = extras->scored_mem_bytes;
}

static uint32_t shape_find(const Usher *usher, uint64_t hash, Slice identity) {
    uint32_t i = usher_index_first(&usher->shape_index, hash);

    while (i != USHER_NONE && !slice_eq(usher->shapes[i].identity, identity))
        i = usher->shape_index.next[i];
    return i;
}

uint32_t usher_shape_take(Usher *usher, const Pod *pod, const UsherExtras *extras) {
    uint64_t hash;
    uint32_t slot;
    UsherShape *shape;

    usher->scratch.len = 0;
    usher_write_shape(&usher->scratch, pod->spec, pod->priority, extras);
    hash = slice_hash(buffer_slice(&usher->scratch));
    slot = shape_find(usher, hash, buffer_slice(&usher->scratch));
    if (slot != USHER_NONE) {
        usher->shapes[slot].refs++;
        return slot;
    }
    if (usher->free_shapes.count) {
        slot = usher->free_shapes.items[--usher->free_shapes.count];
    } else {
        slot = usher->shape_count++;
        usher_reserve(usher->shapes, usher->shape_count, &usher->shape_capacity);
    }
    shape = &usher->shapes[slot];
    *shape = (UsherShape){.refs = 1, .hash = hash, .priority = pod->priority};
    shape->identity = arena_slice(&shape->arena, buffer_slice(&usher->scratch));
    shape->spec = usher_copy_spec(&shape->arena, pod->spec);
    for (vec_each(const NodeTerm, term, &shape->spec.required_node_terms))
        shape->has_fields |= term->has_match_fields;
    read_requests(usher, shape, extras);
    usher_index_add(&usher->shape_index, hash, slot);
    usher->shapes_live++;
    return slot;
}

bool usher_shape_is(Usher *usher, uint32_t slot, const Pod *pod) {
    Slice identity = usher->shapes[slot].identity, now;

    usher->scratch.len = 0;
    usher_write_shape(&usher->scratch, pod->spec, pod->priority, NULL);
    now = buffer_slice(&usher->scratch);
    return usher->shapes[slot].priority == pod->priority &&
           slice_eq(slice_from(identity, USHER_EXTRAS_BYTES), slice_from(now, USHER_EXTRAS_BYTES));
}

static void forget_verdicts(Usher *usher, UsherShape *shape) {
    usher->verdicts_live -= shape->verdicts != NULL;
    free(shape->verdicts);
    shape->verdicts = NULL;
    shape->verdict_count = 0;
}

void usher_shape_drop(Usher *usher, uint32_t slot) {
    UsherShape *shape = &usher->shapes[slot];

    if (--shape->refs)
        return;
    usher_index_remove(&usher->shape_index, shape->hash, slot);
    forget_verdicts(usher, shape);
    arena_free(&shape->arena);
    usher_list_add(&usher->free_shapes, slot);
    usher->shapes_live--;
}

// Gives back the verdicts of the shape that was not asked for the longest.
static void forget_oldest(Usher *usher) {
    UsherShape *oldest = NULL;

    for (uint32_t i = 0; i < usher->shape_count; i++) {
        UsherShape *shape = &usher->shapes[i];

        if (shape->verdicts && (!oldest || shape->used_at < oldest->used_at))
            oldest = shape;
    }
    if (oldest)
        forget_verdicts(usher, oldest);
}

static bool is_cordoned(const UsherNode *node) {
    for (vec_each(const Taint, taint, &node->taints)) {
        if (taint->key == NAME_UNSCHEDULABLE && taint->effect == EFFECT_NO_SCHEDULE)
            return true;
    }
    return false;
}

static bool tolerates_cordon(const Symbols *symbols, const PodSpec *spec) {
    Taint cordon = {.key = NAME_UNSCHEDULABLE, .effect = EFFECT_NO_SCHEDULE};
    TaintVec taints = {&cordon, 1, 1};

    return usher_taint_in_the_way(symbols, &spec->tolerations, &taints) == NULL;
}

static UsherReason refuse(const Symbols *symbols, const PodSpec *spec, const UsherPin *pins, const UsherNode *node) {
    if (is_cordoned(node) && !tolerates_cordon(symbols, spec))
        return REASON_UNSCHEDULABLE;
    if (usher_taint_in_the_way(symbols, &spec->tolerations, &node->taints))
        return REASON_TAINT;
    return usher_affinity_holds(symbols, spec, pins, node) ? REASON_FITS : REASON_NODE_AFFINITY;
}

static uint16_t count_intolerable(const Symbols *symbols, const PodSpec *spec, const TaintVec *taints) {
    uint16_t count = 0;

    for (vec_each(const Taint, taint, taints)) {
        if (taint->effect == EFFECT_PREFER_NO_SCHEDULE && !taint_is_tolerated(symbols, taint, &spec->tolerations))
            count++;
    }
    return count;
}

static void judge(const Usher *usher, const PodSpec *spec, const UsherPin *pins, uint32_t node,
                  UsherVerdict *ret_verdict) {
    const UsherNode *at = &usher->nodes[node];
    UsherVerdict verdict = {.stamps.side = usher->stamps[node].side};

    verdict.side = (uint8_t)refuse(usher->symbols, spec, pins, at);
    verdict.intolerable = count_intolerable(usher->symbols, spec, &at->taints);
    for (vec_each(const NodeTerm, term, &spec->preferred_node_terms)) {
        if (term->weight && usher_term_holds(usher->symbols, term, NULL, &at->labels, at->name))
            verdict.preference += term->weight;
    }
    *ret_verdict = verdict;
}

UsherVerdict *usher_shape_look(Usher *usher, uint32_t slot, const UsherPin *pins, uint32_t node) {
    UsherShape *shape = &usher->shapes[slot];

    if (shape->has_fields) {
        judge(usher, &shape->spec, pins, node, &usher->odd);
        return &usher->odd;
    }
    if (shape->verdict_count < usher->node_count) {
        if (!shape->verdicts && ++usher->verdicts_live > VERDICTS_MAX)
            forget_oldest(usher);
        usher_reserve(shape->verdicts, usher->node_count, &shape->verdict_count);
    }
    shape->used_at = usher->counts.attempts;
    if (shape->verdicts[node].stamps.side != usher->stamps[node].side)
        judge(usher, &shape->spec, NULL, node, &shape->verdicts[node]);
    return &shape->verdicts[node];
}
