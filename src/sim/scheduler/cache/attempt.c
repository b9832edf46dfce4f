// An attempt to place a pod: find nodes that pass the filters, choose one; else explain why, and preempt.
#include "sim/scheduler/cache/diagnosis.h"
#include "sim/scheduler/cache/filter.h"
#include "sim/scheduler/cache/index.h"
#include "sim/scheduler/cache/nodes.h"
#include "sim/scheduler/cache/preempt.h"
#include "sim/scheduler/cache/room.h"
#include "sim/scheduler/cache/score.h"
#include "sim/scheduler/cache/shape.h"

#include <stdlib.h>

enum { NODES_MIN = 100, PERCENT_MIN = 5 };

// Number of passing nodes at which the search ends.
static uint32_t enough_nodes(const SchedulerCache *cache, uint32_t nodes) {
    uint32_t percent = cache->percentage, enough;

    if (nodes < NODES_MIN)
        return nodes;
    if (percent == 0)
        percent = nodes / 125 >= 50 - PERCENT_MIN ? PERCENT_MIN : 50 - nodes / 125;
    enough = (uint32_t)((uint64_t)nodes * percent / 100);
    return enough < NODES_MIN ? NODES_MIN : enough;
}

static CacheResult nowhere(uint32_t plugins, Slice message) {
    return (CacheResult){.node = CACHE_NONE, .nominated = CACHE_NONE, .plugins = plugins, .message = message};
}

// The names that matchFields of all terms allow; false: a term without matchFields allows others, too.
static bool pinned_nodes(const CacheTrial *trial, CacheList *ret_nodes) {
    const CachePod *pod = trial->pod;

    for (uint32_t i = 0; i < pod->pin_count; i++) {
        if (!pod->pins[i].has_in)
            return false;
    }
    for (uint32_t i = 0; i < pod->pin_count; i++) {
        for (uint32_t j = 0; j < pod->pins[i].in.count; j++) {
            uint32_t node = cache_find_node(trial->cache, pod->pins[i].in.items[j]);

            if (node != CACHE_NONE && !cache_list_has(ret_nodes, node))
                cache_list_add(ret_nodes, node);
        }
    }
    return pod->pin_count > 0;
}

// Whether node and room decide alone, as for most pods.
static bool is_plain(const CacheTrial *trial) {
    const CacheClass *class = trial->class;

    return !trial->cache->nominated_total && !trial->volume_count && !trial->active_anti.count && !class->hard.count &&
           !class->affinity.count && !class->anti_affinity.count && !trial->shape->spec.host_ports.count;
}

static CacheReason filter_plain(CacheTrial *trial, uint32_t node) {
    CacheVerdict *verdict = cache_shape_look(trial->cache, trial->class->shape, trial->pod->pins, node);

    return verdict->side != REASON_FITS ? (CacheReason)verdict->side
                                        : cache_room_look(trial->cache, trial->shape, verdict, node);
}

// Filters nodes, beginning where the last walk ended, until enough pass.
static void walk(CacheTrial *trial, const CacheList *nodes, CacheList *feasible, CacheDiagnosis *diagnosis) {
    SchedulerCache *cache = trial->cache;
    uint32_t enough = enough_nodes(cache, nodes->count), looked_at = 0, at = cache->start % nodes->count;
    bool plain = is_plain(trial);

    for (; looked_at < nodes->count && feasible->count < enough; looked_at++) {
        uint32_t node = nodes->items[at];
        CacheReason reason = plain ? filter_plain(trial, node) : cache_filter(trial, node);

        at = at + 1 == nodes->count ? 0 : at + 1;
        cache->reasons[node] = (uint8_t)reason;
        if (reason == REASON_FITS)
            cache_list_add(feasible, node);
        else if (cache->nominated_total) // it was refused because of nominated pods that are gone
            cache_diagnosis_add(diagnosis, trial, node, reason);
    }
    cache->counts.nodes_walked += looked_at;
    cache->start = (cache->start + looked_at) % cache->order.count;
}

// Computes the reasons, only when no node passed.
static void diagnose(CacheTrial *trial, const CacheList *nodes, CacheDiagnosis *diagnosis) {
    for (uint32_t i = 0; i < nodes->count && !trial->cache->nominated_total; i++)
        cache_diagnosis_add(diagnosis, trial, nodes->items[i], (CacheReason)trial->cache->reasons[nodes->items[i]]);
}

static uint32_t rejecting_plugins(const CacheDiagnosis *diagnosis) {
    static const uint32_t plugins[] = {
#define X(name, plugin, may_help, text) plugin,
        CACHE_REASONS(X)
#undef X
    };
    uint32_t all = 0;

    for (uint32_t i = 0; i < REASON_COUNT; i++)
        all |= diagnosis->reasons[i] ? plugins[i] : 0;
    return all;
}

// Refuses a pod before any node is looked at. There is no preemption, and a nomination stays: since kube-scheduler did
// not run the filter of resource claims either, that filter's preemption step fails with "not found".
static CacheResult refuse(const CacheTrial *trial, uint32_t nodes) {
    return nowhere(trial->refused_plugin,
                   arena_printf(&trial->cache->attempt_arena, "0/%u nodes are available: %.*s. not found", nodes,
                                SLICE_ARG(trial->refused)));
}

// Result when no node passes.
static CacheResult give_up(CacheTrial *trial, CacheDiagnosis *diagnosis) {
    SchedulerCache *cache = trial->cache;
    CacheResult result = nowhere(rejecting_plugins(diagnosis), (Slice){0});
    CachePreemption preemption = cache_preempt(trial);
    Slice text = cache_diagnosis_print(&cache->attempt_arena, cache, diagnosis);

    result.message = text;
    result.clear_nomination = preemption.clear_nomination;
    result.nominated = preemption.node;
    result.victims = preemption.victims;
    if (preemption.node == CACHE_NONE)
        result.message = arena_printf(&cache->attempt_arena, "%.*s no new claims to deallocate, preemption: %.*s",
                                      SLICE_ARG(text), SLICE_ARG(preemption.message));
    return result;
}

// Remembers a failure, which is the same for every pod of the class as long as nothing changes.
static void remember(CacheTrial *trial, const CacheResult *result) {
    CacheClass *class = trial->class;

    if (result->node != CACHE_NONE || result->victims.count || trial->pod->claim_count || trial->pod->pin_count ||
        trial->pod->nominated != CACHE_NONE || trial->cache->nominated_total)
        return;
    free(class->failed_message);
    class->failed_message = alloc_raw(result->message.len + 1);
    if (result->message.len)
        memcpy(class->failed_message, result->message.ptr, result->message.len);
    class->failed_message[result->message.len] = 0;
    class->failed_plugins = result->plugins;
    class->failed_at = trial->cache->change;
}

static bool is_remembered(const SchedulerCache *cache, const CachePod *pod) {
    const CacheClass *class = &cache->classes[pod->class_index];

    return class->failed_message && class->failed_at == cache->change && !pod->claim_count && !pod->pin_count &&
           pod->nominated == CACHE_NONE && class->services_epoch == cache->services_epoch;
}

static CacheResult attempt_nodes(CacheTrial *trial, const CacheList *nodes, CacheDiagnosis *diagnosis) {
    SchedulerCache *cache = trial->cache;
    CacheResult result = {.nominated = CACHE_NONE};

    cache->feasible.count = 0;
    if (nodes->count)
        walk(trial, nodes, &cache->feasible, diagnosis);
    if (cache->feasible.count) {
        result.node = cache_pick(trial, &cache->feasible);
        result.waits_for_volumes = trial->waits_for_volumes;
        return result;
    }
    diagnose(trial, nodes, diagnosis);
    if (nodes->count < cache->order.count) {
        diagnosis->reasons[REASON_PINNED] = cache->order.count - nodes->count;
        for (uint32_t i = 0; i < cache->order.count; i++) {
            if (!cache_list_has(nodes, cache->order.items[i]))
                cache->reasons[cache->order.items[i]] = REASON_PINNED;
        }
    }
    return give_up(trial, diagnosis);
}

static CacheResult attempt(CacheTrial *trial) {
    SchedulerCache *cache = trial->cache;
    CacheDiagnosis diagnosis = {.nodes = cache->order.count};
    uint32_t nominated = trial->pod->nominated;
    CacheList pinned = {0};
    CacheResult result;

    if (trial->refused.len)
        return refuse(trial, cache->order.count);
    if (nominated != CACHE_NONE && cache->nodes[nominated].present && cache_filter(trial, nominated) == REASON_FITS)
        return (CacheResult){.node = nominated, .nominated = CACHE_NONE, .waits_for_volumes = trial->waits_for_volumes};
    if (!pinned_nodes(trial, &pinned))
        return attempt_nodes(trial, &cache->order, &diagnosis);
    result = attempt_nodes(trial, &pinned, &diagnosis);
    free(pinned.items);
    return result;
}

CacheResult cache_attempt(SchedulerCache *cache, uint32_t slot) {
    CacheTrial trial;
    CacheResult result;
    const CacheClass *class = &cache->classes[cache->pods[slot].class_index];

    cache->counts.attempts++;
    if (cache_order(cache)->count == 0)
        return nowhere(PLUGIN_NONE, SLICE("no nodes available to schedule pods"));
    if (is_remembered(cache, &cache->pods[slot])) {
        cache->counts.attempts_remembered++;
        return nowhere(class->failed_plugins, slice_of(class->failed_message));
    }
    arena_rewind(&cache->attempt_arena, (ArenaMark){0});
    cache_trial_begin(&trial, cache, slot);
    result = attempt(&trial);
    remember(&trial, &result);
    cache_trial_end(&trial);
    return result;
}
