// Views: tallies summed up by the domains of a topology key, over the nodes that count.
//
// A view records for which domain each node counts, so pods can come and go at any time. Changes of nodes are read from
// the log of changed nodes when the view is read next.
#include "sim/scheduler/cache/view.h"

#include "sim/scheduler/cache/index.h"
#include "sim/scheduler/cache/match.h"

#include <stdlib.h>

enum { LOG_MAX = 1 << 16 };

// --- keys

static void value_drop(SchedulerCache *cache, CacheKey *key, uint32_t domain) {
    if (--key->values[domain].nodes)
        return;
    u64_map_put(&cache->arena, &key->domains, key->values[domain].value, INDEX_NONE);
    cache_list_add(&key->unused, domain);
}

static uint32_t value_take(SchedulerCache *cache, CacheKey *key, Symbol value) {
    uint32_t domain = u64_map_get(&key->domains, value);

    if (domain == INDEX_NONE) {
        if (key->unused.count) {
            domain = key->unused.items[--key->unused.count];
        } else {
            GROW(key->values, key->value_capacity, key->value_count + 1);
            domain = key->value_count++;
        }
        key->values[domain].value = value;
        key->values[domain].nodes = 0;
        u64_map_put(&cache->arena, &key->domains, value, domain);
    }
    key->values[domain].nodes++;
    return domain;
}

static void key_move_node(SchedulerCache *cache, CacheKey *key, uint32_t node) {
    Symbol value = cache->nodes[node].present ? labels_get(&cache->nodes[node].labels, key->key) : INDEX_NONE;
    uint32_t before, capacity = key->of_node_capacity;

    GROW(key->of_node, key->of_node_capacity, cache->node_capacity);
    for (uint32_t i = capacity; i < key->of_node_capacity; i++)
        key->of_node[i] = CACHE_NONE;
    before = key->of_node[node];
    if (before != CACHE_NONE && key->values[before].value == value)
        return;
    key->of_node[node] = value == INDEX_NONE ? CACHE_NONE : value_take(cache, key, value);
    if (before != CACHE_NONE)
        value_drop(cache, key, before);
}

uint32_t cache_key(SchedulerCache *cache, Symbol name) {
    for (uint32_t i = 0; i < cache->key_count; i++) {
        if (cache->keys[i].key == name)
            return i;
    }
    GROW(cache->keys, cache->key_capacity, cache->key_count + 1);
    cache->keys[cache->key_count].key = name;
    for (uint32_t i = 0; i < cache->node_count; i++)
        key_move_node(cache, &cache->keys[cache->key_count], i);
    return cache->key_count++;
}

void cache_keys_move_node(SchedulerCache *cache, uint32_t node) {
    for (uint32_t i = 0; i < cache->key_count; i++)
        key_move_node(cache, &cache->keys[i], node);
}

void cache_node_stamp(SchedulerCache *cache, uint32_t node) {
    cache->stamps[node].side = ++cache->stamp;
    cache_keys_move_node(cache, node);
    if (cache->log.count == LOG_MAX) {
        cache->log.count = 0;
        cache->epoch++;
    }
    cache_list_add(&cache->log, node);
}

// --- views

void cache_view_add(CacheView *view, uint32_t node, int sign, uint32_t by) {
    uint32_t domain = node < view->domain_of_capacity ? view->domain_of[node] : CACHE_NONE;

    if (domain == CACHE_NONE || by == 0)
        return;
    view->version++;
    if (sign > 0) {
        view->positive += view->sum[domain] == 0;
        view->sum[domain] += by;
    } else {
        view->sum[domain] -= by;
        view->positive -= view->sum[domain] == 0;
    }
}

static bool node_counts(SchedulerCache *cache, const CacheView *view, uint32_t node) {
    if (!cache->nodes[node].present)
        return false;
    for (uint32_t i = 0; i < view->needed_key_count; i++) {
        if (cache->keys[view->needed_keys[i]].of_node[node] == CACHE_NONE)
            return false;
    }
    if (view->shape == CACHE_NONE || !(view->honor_affinity || view->honor_taints))
        return true;
    if (view->honor_affinity &&
        !cache_affinity_holds(cache->symbols, &cache->shapes[view->shape].spec, NULL, &cache->nodes[node]))
        return false;
    return !view->honor_taints || !cache_taint_in_the_way(cache->symbols, &cache->shapes[view->shape].spec.tolerations,
                                                          &cache->nodes[node].taints);
}

static void leave_domain(CacheView *view, uint32_t node, uint32_t pods) {
    uint32_t domain = view->domain_of[node];

    if (domain == CACHE_NONE)
        return;
    cache_view_add(view, node, -1, pods);
    view->domains -= --view->nodes[domain] == 0;
    view->domain_of[node] = CACHE_NONE;
}

static void enter_domain(CacheView *view, uint32_t node, uint32_t domain, uint32_t pods) {
    uint32_t capacity = view->domain_capacity;

    GROW(view->sum, view->domain_capacity, domain + 1);
    GROW(view->nodes, capacity, domain + 1);
    view->domain_of[node] = domain;
    view->domains += view->nodes[domain]++ == 0;
    cache_view_add(view, node, 1, pods);
}

static void look_again(SchedulerCache *cache, CacheView *view, uint32_t node) {
    const CacheTally *tally = &cache->tallies[view->tally];
    uint32_t pods = node < tally->on_node_capacity ? tally->on_node[node] : 0;
    uint32_t domain = node_counts(cache, view, node) ? cache->keys[view->key].of_node[node] : CACHE_NONE;

    if (domain == view->domain_of[node])
        return;
    view->version++;
    leave_domain(view, node, pods);
    if (domain != CACHE_NONE)
        enter_domain(view, node, domain, pods);
}

CacheView *cache_view_read(SchedulerCache *cache, uint32_t slot) {
    CacheView *view = &cache->views[slot];
    uint32_t capacity = view->domain_of_capacity;

    if (view->epoch == cache->epoch && view->log_at == cache->log.count)
        return view;
    GROW(view->domain_of, view->domain_of_capacity, cache->node_capacity);
    for (uint32_t i = capacity; i < view->domain_of_capacity; i++)
        view->domain_of[i] = CACHE_NONE;
    if (view->epoch == cache->epoch) {
        for (uint32_t i = view->log_at; i < cache->log.count; i++)
            look_again(cache, view, cache->log.items[i]);
    } else {
        for (uint32_t i = 0; i < cache->node_count; i++)
            look_again(cache, view, i);
    }
    view->epoch = cache->epoch;
    view->log_at = cache->log.count;
    return view;
}

// The smallest sum of a domain that has a node; UINT32_MAX: there is none. O(domains) after a change.
uint32_t cache_view_least(CacheView *view) {
    if (view->least_version == view->version && view->version)
        return view->least;
    view->least = UINT32_MAX;
    for (uint32_t i = 0; i < view->domain_capacity; i++) {
        if (view->nodes[i] && view->sum[i] < view->least)
            view->least = view->sum[i];
    }
    view->least_version = view->version;
    return view->least;
}

static bool views_same(const CacheView *a, const CacheView *b) {
    return a->tally == b->tally && a->key == b->key && a->shape == b->shape && a->honor_affinity == b->honor_affinity &&
           a->honor_taints == b->honor_taints && a->needed_key_count == b->needed_key_count &&
           (a->needed_key_count == 0 ||
            memcmp(a->needed_keys, b->needed_keys, a->needed_key_count * sizeof *a->needed_keys) == 0);
}

uint32_t cache_view_take(SchedulerCache *cache, const CacheView *wanted) {
    const CacheList *views = &cache->tallies[wanted->tally].views;
    uint32_t slot;

    for (uint32_t i = 0; i < views->count; i++) {
        if (!views_same(&cache->views[views->items[i]], wanted))
            continue;
        free(wanted->needed_keys);
        cache->views[views->items[i]].refs++;
        return views->items[i];
    }
    if (cache->free_views.count) {
        slot = cache->free_views.items[--cache->free_views.count];
    } else {
        GROW(cache->views, cache->view_capacity, cache->view_count + 1);
        slot = cache->view_count++;
    }
    cache->views[slot] = *wanted;
    cache->views[slot].refs = 1;
    cache_list_add(&cache->tallies[wanted->tally].views, slot);
    cache->views_live++;
    return slot;
}

void cache_view_drop(SchedulerCache *cache, uint32_t slot) {
    CacheView *view = &cache->views[slot];

    if (--view->refs)
        return;
    cache_list_remove(&cache->tallies[view->tally].views, slot);
    free(view->needed_keys);
    free(view->domain_of);
    free(view->sum);
    free(view->nodes);
    *view = (CacheView){0};
    cache_list_add(&cache->free_views, slot);
    cache->views_live--;
}
