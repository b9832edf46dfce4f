// Messages why a pod fits no node, as in kube-scheduler: "0/5 nodes are available: 2 Insufficient cpu, 3 node(s) …".
#include "sim/scheduler/cache/diagnosis.h"

#include "sim/scheduler/cache/match.h"
#include "sim/scheduler/cache/room.h"

#include <stdlib.h>

static void add_lacks(CacheDiagnosis *diagnosis, const CacheTrial *trial, uint32_t node) {
    uint64_t lacks = cache_room_lacks(trial->cache, trial->shape, node);

    diagnosis->too_many_pods += cache_room_is_short_of_pods(trial->cache, node);
    for (; lacks; lacks &= lacks - 1)
        diagnosis->short_of[__builtin_ctzll(lacks)]++;
}

static void add_taint(CacheDiagnosis *diagnosis, const CacheTrial *trial, uint32_t node) {
    SchedulerCache *cache = trial->cache;
    const Taint *taint =
        cache_taint_in_the_way(cache->symbols, &trial->shape->spec.tolerations, &cache->nodes[node].taints);

    if (taint)
        vec_push(&cache->attempt_arena, &diagnosis->taints,
                 arena_printf(&cache->attempt_arena, "node(s) had untolerated taint {%.*s: %.*s}",
                              SLICE_ARG(symbol_text(cache->symbols, taint->key)),
                              SLICE_ARG(symbol_text(cache->symbols, taint->value))));
}

void cache_diagnosis_add(CacheDiagnosis *diagnosis, const CacheTrial *trial, uint32_t node, CacheReason reason) {
    diagnosis->reasons[reason]++;
    if (reason == REASON_ROOM || reason == REASON_ROOM_NEVER)
        add_lacks(diagnosis, trial, node);
    if (reason == REASON_TAINT && trial->cache->name_taints)
        add_taint(diagnosis, trial, node);
}

static int slice_order(const void *a, const void *b) {
    return slice_cmp(*(const Slice *)a, *(const Slice *)b);
}

static void add_line(Arena *arena, SliceVec *lines, uint32_t count, Slice text) {
    if (count)
        vec_push(arena, lines, arena_printf(arena, "%u %.*s", count, SLICE_ARG(text)));
}

static void add_room(Arena *arena, const SchedulerCache *cache, const CacheDiagnosis *diagnosis, SliceVec *lines) {
    add_line(arena, lines, diagnosis->too_many_pods, SLICE("Too many pods"));
    for (uint32_t i = 0; i < cache->column_count; i++) {
        Slice name = symbol_text(cache->symbols, cache->columns[i].resource);

        add_line(arena, lines, diagnosis->short_of[i], arena_printf(arena, "Insufficient %.*s", SLICE_ARG(name)));
    }
}

// Adds the taint texts, equal ones once with their number.
static void add_taints(Arena *arena, const CacheDiagnosis *diagnosis, SliceVec *lines) {
    uint32_t count = diagnosis->taints.count;

    if (!count)
        return;
    qsort(diagnosis->taints.items, count, sizeof(Slice), slice_order);
    for (uint32_t i = 0, first = 0; i < count; i++) {
        if (i + 1 < count && slice_eq(diagnosis->taints.items[i], diagnosis->taints.items[i + 1]))
            continue;
        add_line(arena, lines, i + 1 - first, diagnosis->taints.items[i]);
        first = i + 1;
    }
}

Slice cache_diagnosis_print(Arena *arena, SchedulerCache *cache, const CacheDiagnosis *diagnosis) {
    static const char *const texts[] = {
#define X(name, plugin, may_help, text) (text),
        CACHE_REASONS(X)
#undef X
    };
    SliceVec lines = {0};
    Slice text = arena_printf(arena, "0/%u nodes are available:", diagnosis->nodes);

    add_room(arena, cache, diagnosis, &lines);
    add_taints(arena, diagnosis, &lines);
    for (uint32_t i = 0; i < REASON_COUNT; i++) {
        if (texts[i][0] && !(i == REASON_TAINT && diagnosis->taints.count))
            add_line(arena, &lines, diagnosis->reasons[i], slice_of(texts[i]));
    }
    if (lines.count)
        qsort(lines.items, lines.count, sizeof(Slice), slice_order);
    for (uint32_t i = 0; i < lines.count; i++)
        text = arena_printf(arena, "%.*s%s %.*s", SLICE_ARG(text), i ? "," : "", SLICE_ARG(lines.items[i]));
    return lines.count ? arena_printf(arena, "%.*s.", SLICE_ARG(text)) : text;
}
