// Filters in kube-scheduler's order: the first that refuses a node gives the reason.
#include "sim/scheduler/cache/filter.h"

#include "sim/scheduler/cache/class.h"
#include "sim/scheduler/cache/index.h"
#include "sim/scheduler/cache/pods.h"
#include "sim/scheduler/cache/room.h"
#include "sim/scheduler/cache/shape.h"
#include "sim/scheduler/cache/view.h"
#include "sim/scheduler/cache/volume.h"

#include <stdlib.h>

bool cache_reason_is_final(CacheReason reason) {
    static const bool helps[] = {
#define X(name, plugin, may_help, text) may_help,
        CACHE_REASONS(X)
#undef X
    };

    return !helps[reason];
}

// Updates what the filters read per node: views, and the existing pods' anti-affinity terms that select this pod.
void cache_trial_refresh(CacheTrial *trial) {
    SchedulerCache *cache = trial->cache;
    CacheClass *class = trial->class;

    trial->active_anti.count = 0;
    for (uint32_t i = 0; i < class->aimed_by.count; i++) {
        const CacheTally *tally = &cache->tallies[class->aimed_by.items[i]];

        if (tally->role != ROLE_ANTI_AFFINITY || tally->total == 0)
            continue;
        if (cache_view_read(cache, tally->view)->positive)
            cache_list_add(&trial->active_anti, tally->view);
    }
    trial->affinity_nowhere = true;
    for (uint32_t i = 0; i < class->affinity.count; i++)
        trial->affinity_nowhere &= cache_view_read(cache, class->affinity.items[i].view)->positive == 0;
    for (uint32_t i = 0; i < class->anti_affinity.count; i++)
        cache_view_read(cache, class->anti_affinity.items[i].view);
    for (uint32_t i = 0; i < class->hard.count; i++)
        cache_view_read(cache, class->hard.items[i].view);
}

void cache_trial_begin(CacheTrial *trial, SchedulerCache *cache, uint32_t slot) {
    cache_class_make_rules(cache, cache->pods[slot].class_index);
    *trial = (CacheTrial){.cache = cache, .slot = slot, .pod = &cache->pods[slot]};
    trial->class = &cache->classes[trial->pod->class_index];
    trial->shape = &cache->shapes[trial->class->shape];
    for (uint32_t i = 0; i < trial->class->hard.count; i++)
        trial->class->hard.items[i].before = cache->tallies[trial->class->hard.items[i].tally].total;
    cache_trial_refresh(trial);
    cache_volumes_begin(trial);
}

void cache_trial_end(CacheTrial *trial) {
    free(trial->active_anti.items);
}

static bool ports_clash(const HostPort *a, const HostPort *b, const Symbols *symbols) {
    if (a->port != b->port || a->protocol != b->protocol)
        return false;
    return a->ip == b->ip || slice_eq_text(symbol_text(symbols, a->ip), "0.0.0.0") ||
           slice_eq_text(symbol_text(symbols, b->ip), "0.0.0.0");
}

static bool ports_taken(const CacheTrial *trial, const CacheNode *node) {
    for (vec_each(const HostPort, port, &trial->shape->spec.host_ports)) {
        for (uint32_t i = 0; i < node->port_count; i++) {
            if (ports_clash(port, &node->ports[i].port, trial->cache->symbols))
                return true;
        }
    }
    return false;
}

// Number of pods in the node's domain, and the least number of any domain.
static void count_spread(SchedulerCache *cache, const CacheRule *rule, uint32_t node, int64_t *ret_count,
                         int64_t *ret_least) {
    CacheView *view = &cache->views[rule->view];
    uint32_t domain = cache->keys[view->key].of_node[node];

    *ret_count = 0;
    if (rule->counts_nobody) { // only pods that the attempt put on this node count
        if (view->domain_of[node] != CACHE_NONE)
            *ret_count = (int64_t)cache->tallies[rule->tally].total - rule->before;
        *ret_least = *ret_count < 0 || view->domains == 1 ? *ret_count : 0;
    } else {
        if (domain < view->domain_capacity && view->nodes[domain])
            *ret_count = view->sum[domain];
        *ret_least = cache_view_least(view);
    }
    if (view->domains < (uint32_t)(rule->min_domains > 0 ? rule->min_domains : 1))
        *ret_least = 0;
}

static CacheReason filter_spread(const CacheTrial *trial, uint32_t node) {
    SchedulerCache *cache = trial->cache;

    for (uint32_t i = 0; i < trial->class->hard.count; i++) {
        const CacheRule *rule = &trial->class->hard.items[i];
        int64_t count, least;

        if (cache->keys[cache->views[rule->view].key].of_node[node] == CACHE_NONE)
            return REASON_SPREAD_LABEL;
        count_spread(cache, rule, node, &count, &least);
        if (count + rule->matches_self - least > rule->max_skew)
            return REASON_SPREAD;
    }
    return REASON_FITS;
}

// Sum of a view in the domain of a node.
static uint32_t around(const SchedulerCache *cache, uint32_t view, uint32_t node) {
    uint32_t domain = cache->views[view].domain_of[node];

    return domain == CACHE_NONE ? 0 : cache->views[view].sum[domain];
}

static CacheReason filter_pods(const CacheTrial *trial, uint32_t node) {
    const SchedulerCache *cache = trial->cache;
    const CacheClass *class = trial->class;
    bool met = true;

    for (uint32_t i = 0; i < class->affinity.count; i++) {
        if (cache->views[class->affinity.items[i].view].domain_of[node] == CACHE_NONE)
            return REASON_AFFINITY;
        met &= around(cache, class->affinity.items[i].view, node) > 0;
    }
    if (!met && !(trial->affinity_nowhere && class->affinity_matches_self))
        return REASON_AFFINITY;
    for (uint32_t i = 0; i < class->anti_affinity.count; i++) {
        if (around(cache, class->anti_affinity.items[i].view, node))
            return REASON_ANTI_AFFINITY;
    }
    for (uint32_t i = 0; i < trial->active_anti.count; i++) {
        if (around(cache, trial->active_anti.items[i], node))
            return REASON_EXISTING_ANTI_AFFINITY;
    }
    return REASON_FITS;
}

static CacheReason filter_once(CacheTrial *trial, uint32_t node) {
    SchedulerCache *cache = trial->cache;
    CacheVerdict *verdict = cache_shape_look(cache, trial->class->shape, trial->pod->pins, node);
    CacheReason reason;

    if (verdict->side != REASON_FITS)
        return (CacheReason)verdict->side;
    if (trial->shape->spec.host_ports.count && ports_taken(trial, &cache->nodes[node]))
        return REASON_PORTS;
    reason = cache_room_look(cache, trial->shape, verdict, node);
    if (reason == REASON_FITS && trial->volume_count)
        reason = cache_volume_rivals_filter(trial);
    if (reason == REASON_FITS && trial->volume_count)
        reason = cache_volume_limits_filter(trial, node);
    if (reason == REASON_FITS && trial->volume_count)
        reason = cache_volumes_filter(trial, node);
    if (reason == REASON_FITS && trial->class->hard.count)
        reason = filter_spread(trial, node);
    return reason == REASON_FITS ? filter_pods(trial, node) : reason;
}

// Filters a node with the pods nominated for it that are at least as important, and without them too, since an affinity
// may be satisfied by them.
static CacheReason filter_beside_nominated(CacheTrial *trial, uint32_t node) {
    SchedulerCache *cache = trial->cache;
    U32Vec seated = {0};
    CacheReason reason;
    uint64_t change = cache->change;

    for (uint32_t i = 0; i < cache->nodes[node].nominated.count; i++) {
        uint32_t other = cache->nodes[node].nominated.items[i];

        if (other != trial->slot && cache->pods[other].node == CACHE_NONE &&
            cache->pods[other].priority >= trial->pod->priority)
            vec_push(&cache->attempt_arena, &seated, other);
    }
    for (uint32_t i = 0; i < seated.count; i++)
        cache_seat(cache, seated.items[i], node);
    if (seated.count)
        cache_trial_refresh(trial);
    reason = filter_once(trial, node);
    for (uint32_t i = 0; i < seated.count; i++)
        cache_unseat(cache, seated.items[i]);
    if (seated.count)
        cache_trial_refresh(trial);
    cache->change = change;
    return reason == REASON_FITS && seated.count ? filter_once(trial, node) : reason;
}

CacheReason cache_filter(CacheTrial *trial, uint32_t node) {
    if (trial->cache->nominated_total && trial->cache->nodes[node].nominated.count)
        return filter_beside_nominated(trial, node);
    return filter_once(trial, node);
}
