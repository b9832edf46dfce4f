// Pods of the cache, and counting them on nodes.
#include "sim/scheduler/cache/pods.h"

#include "sim/scheduler/cache/class.h"
#include "sim/scheduler/cache/index.h"
#include "sim/scheduler/cache/node_slots.h"
#include "sim/scheduler/cache/room.h"
#include "sim/scheduler/cache/shape.h"
#include "sim/scheduler/cache/tally.h"

#include <stdlib.h>

static bool ports_same(const HostPort *a, const HostPort *b) {
    return a->port == b->port && a->protocol == b->protocol && a->ip == b->ip;
}

static void count_ports(CacheNode *node, const HostPortVec *ports, bool add) {
    for (vec_each(const HostPort, port, ports)) {
        uint32_t i = 0;

        while (i < node->port_count && !ports_same(&node->ports[i].port, port))
            i++;
        if (i == node->port_count) {
            GROW(node->ports, node->port_capacity, ++node->port_count);
            node->ports[i] = (CachePort){.port = *port};
        }
        node->ports[i].pods += add ? 1 : UINT32_MAX;
        if (node->ports[i].pods == 0)
            node->ports[i] = node->ports[--node->port_count];
    }
}

static void count_requests(SchedulerCache *cache, const CacheShape *shape, uint32_t node, int sign) {
    for (vec_each(const CacheRequest, request, &shape->requests))
        cache->columns[request->column].requested[node] += sign * request->amount;
    cache->scored_cpu_milli[node] += sign * shape->scored_cpu_milli;
    cache->scored_mem_bytes[node] += sign * shape->scored_mem_bytes;
}

static void count_priority(SchedulerCache *cache, int32_t priority, bool add) {
    uint32_t i = 0;

    while (i < cache->priority_count && cache->priorities[i].priority != priority)
        i++;
    if (i == cache->priority_count) {
        GROW(cache->priorities, cache->priority_capacity, ++cache->priority_count);
        cache->priorities[i].priority = priority;
        cache->priorities[i].pods = 0;
    }
    cache->priorities[i].pods += add ? 1 : UINT32_MAX;
    if (cache->priorities[i].pods == 0)
        cache->priorities[i] = cache->priorities[--cache->priority_count];
}

bool cache_has_below(const SchedulerCache *cache, int32_t priority) {
    for (uint32_t i = 0; i < cache->priority_count; i++) {
        if (cache->priorities[i].priority < priority)
            return true;
    }
    return false;
}

void cache_seat(SchedulerCache *cache, uint32_t slot, uint32_t at) {
    CachePod *pod = &cache->pods[slot];
    CacheNode *node = &cache->nodes[at];
    CacheShape *shape = &cache->shapes[cache->classes[pod->class_index].shape];

    pod->node = at;
    pod->alive = !pod->deleting;
    pod->previous_on_node = CACHE_NONE;
    pod->next_on_node = node->first_pod;
    if (node->first_pod != CACHE_NONE)
        cache->pods[node->first_pod].previous_on_node = slot;
    node->first_pod = slot;
    node->pod_count++;
    node->claim_count += pod->claim_count;
    count_requests(cache, shape, at, 1);
    count_ports(node, &shape->spec.host_ports, true);
    cache_tallies_add_pod(cache, pod, 1);
    count_priority(cache, pod->priority, true);
    cache_room_stamp(cache, at);
    cache->change++;
}

void cache_unseat(SchedulerCache *cache, uint32_t slot) {
    CachePod *pod = &cache->pods[slot];
    CacheNode *node = &cache->nodes[pod->node];
    CacheShape *shape = &cache->shapes[cache->classes[pod->class_index].shape];

    cache_tallies_add_pod(cache, pod, -1);
    count_priority(cache, pod->priority, false);
    cache_room_stamp(cache, pod->node);
    count_ports(node, &shape->spec.host_ports, false);
    count_requests(cache, shape, pod->node, -1);
    node->pod_count--;
    node->claim_count -= pod->claim_count;
    if (pod->previous_on_node != CACHE_NONE)
        cache->pods[pod->previous_on_node].next_on_node = pod->next_on_node;
    else
        node->first_pod = pod->next_on_node;
    if (pod->next_on_node != CACHE_NONE)
        cache->pods[pod->next_on_node].previous_on_node = pod->previous_on_node;
    pod->node = CACHE_NONE;
    cache->change++;
}

static void link_to_class(SchedulerCache *cache, uint32_t slot) {
    CachePod *pod = &cache->pods[slot];
    CacheClass *class = &cache->classes[pod->class_index];

    pod->previous_in_class = CACHE_NONE;
    pod->next_in_class = class->first_pod;
    if (class->first_pod != CACHE_NONE)
        cache->pods[class->first_pod].previous_in_class = slot;
    class->first_pod = slot;
}

static void unlink_from_class(SchedulerCache *cache, uint32_t slot) {
    CachePod *pod = &cache->pods[slot];

    if (pod->previous_in_class != CACHE_NONE)
        cache->pods[pod->previous_in_class].next_in_class = pod->next_in_class;
    else
        cache->classes[pod->class_index].first_pod = pod->next_in_class;
    if (pod->next_in_class != CACHE_NONE)
        cache->pods[pod->next_in_class].previous_in_class = pod->previous_in_class;
}

// Name of the claim; that of an ephemeral volume is made of pod and volume.
static Symbol claim_name(SchedulerCache *cache, const Pod *pod, const PodVolume *volume) {
    if (!volume->ephemeral)
        return volume->claim_name;
    cache->scratch.len = 0;
    buffer_append(&cache->scratch, symbol_text(cache->symbols, pod->name));
    buffer_append_char(&cache->scratch, '-');
    buffer_append(&cache->scratch, symbol_text(cache->symbols, volume->claim_name));
    return symbol_intern(cache->symbols, buffer_slice(&cache->scratch));
}

static void take_claims(SchedulerCache *cache, uint32_t slot, const Pod *pod) {
    const PodVolumeVec *volumes = &pod->spec->volumes;
    CacheClaim *claims = volumes->count ? NEW_ARRAY(CacheClaim, volumes->count) : NULL;

    for (uint32_t i = 0; i < volumes->count; i++)
        claims[i] = (CacheClaim){pod->ns, claim_name(cache, pod, &volumes->items[i]), volumes->items[i].ephemeral};
    cache->pods[slot].claims = claims;
    cache->pods[slot].claim_count = volumes->count;
}

static SymbolVec take_symbols(Symbol **at, const SymbolVec *from) {
    SymbolVec copy = {*at, from->count, from->count};

    if (from->count)
        memcpy(*at, from->items, from->count * sizeof(Symbol));
    *at += from->count;
    return copy;
}

// Copies the pins: one allocation with their symbols.
static void take_pins(CachePod *pod, const CacheExtras *extras) {
    size_t symbols = 0;
    Symbol *at;

    for (uint32_t i = 0; i < extras->pin_count; i++)
        symbols += extras->pins[i].in.count + extras->pins[i].not_in.count;
    pod->pins = alloc_raw(extras->pin_count * sizeof *pod->pins + symbols * sizeof(Symbol));
    at = (Symbol *)(void *)(pod->pins + extras->pin_count);
    for (uint32_t i = 0; i < extras->pin_count; i++) {
        pod->pins[i].has_in = extras->pins[i].has_in;
        pod->pins[i].in = take_symbols(&at, &extras->pins[i].in);
        pod->pins[i].not_in = take_symbols(&at, &extras->pins[i].not_in);
    }
    pod->pin_count = extras->pin_count;
}

static void take_pod(SchedulerCache *cache, uint32_t slot, const Pod *from, const CacheExtras *extras) {
    uint32_t class_index = cache_class_take(cache, from, extras);
    CachePod *pod = &cache->pods[slot];

    *pod = (CachePod){
        .used = true,
        .ns = from->ns,
        .name = from->name,
        .class_index = class_index,
        .node = CACHE_NONE,
        .nominated = CACHE_NONE,
        .priority = from->priority,
        .created_ns = from->created_ns,
        .never_preempt = extras && extras->never_preempt,
    };
    if (extras && extras->pin_count)
        take_pins(pod, extras);
    take_claims(cache, slot, from);
    link_to_class(cache, slot);
}

static void take_status(SchedulerCache *cache, uint32_t slot, const Pod *from) {
    CachePod *pod = &cache->pods[slot];
    uint32_t at =
        from->node_name == NAME_EMPTY || pod_is_terminal(from) ? CACHE_NONE : cache_node_slot(cache, from->node_name);
    uint32_t before = pod->node;

    pod->started_ns = from->started_ns;
    if (pod->assumed && from->node_name == NAME_EMPTY && !pod_is_terminal(from) && !from->deleting)
        return; // it is being bound
    if (before != at || (at != CACHE_NONE && from->deleting != pod->deleting)) {
        if (before != CACHE_NONE)
            cache_unseat(cache, slot);
        pod->deleting = from->deleting;
        if (at != CACHE_NONE)
            cache_seat(cache, slot, at);
        if (before != CACHE_NONE)
            cache_node_leave(cache, before);
    }
    pod->deleting = from->deleting;
    pod->assumed = false;
    if (at != CACHE_NONE)
        cache_nominate(cache, slot, CACHE_NONE);
}

// Whether a change of spec or labels gives the pod another class.
static bool is_other_class(SchedulerCache *cache, uint32_t slot, const Pod *from, const CacheExtras *extras) {
    uint32_t class_index = cache_class_take(cache, from, extras);
    bool other = class_index != cache->pods[slot].class_index;

    cache_class_drop(cache, class_index);
    return other;
}

bool cache_is_relabelled(const SchedulerCache *cache, uint32_t slot, const Pod *pod) {
    return slot < cache->pod_capacity && cache->pods[slot].used &&
           !labels_eq(&cache->classes[cache->pods[slot].class_index].labels, &pod->labels);
}

bool cache_is_respecified(SchedulerCache *cache, uint32_t slot, const Pod *pod) {
    const CacheClass *class = &cache->classes[cache->pods[slot].class_index];

    return !cache_shape_is(cache, class->shape, pod);
}

void cache_apply_pod(SchedulerCache *cache, uint32_t slot, const Pod *from, const CacheExtras *extras) {
    GROW(cache->pods, cache->pod_capacity, slot + 1);
    if (cache->pods[slot].used && extras && is_other_class(cache, slot, from, extras))
        cache_forget_pod(cache, slot);
    if (!cache->pods[slot].used)
        take_pod(cache, slot, from, extras);
    take_status(cache, slot, from);
}

void cache_forget_pod(SchedulerCache *cache, uint32_t slot) {
    CachePod *pod = slot < cache->pod_capacity ? &cache->pods[slot] : NULL;
    uint32_t node, class_index;

    if (!pod || !pod->used)
        return;
    cache_nominate(cache, slot, CACHE_NONE);
    node = pod->node;
    class_index = pod->class_index;
    if (node != CACHE_NONE) {
        cache_unseat(cache, slot);
        cache_node_leave(cache, node);
    }
    unlink_from_class(cache, slot);
    free(pod->claims);
    free(pod->pins);
    *pod = (CachePod){0};
    cache_class_drop(cache, class_index);
}

void cache_assume(SchedulerCache *cache, uint32_t slot, uint32_t node) {
    cache_seat(cache, slot, node);
    cache->pods[slot].assumed = true;
}

void cache_unassume(SchedulerCache *cache, uint32_t slot) {
    uint32_t node = cache->pods[slot].node;

    if (!cache->pods[slot].assumed || node == CACHE_NONE)
        return;
    cache->pods[slot].assumed = false;
    cache_unseat(cache, slot);
    cache_node_leave(cache, node);
}

void cache_nominate(SchedulerCache *cache, uint32_t slot, uint32_t node) {
    CachePod *pod = &cache->pods[slot];
    uint32_t before = pod->nominated;

    if (before == node)
        return;
    pod->nominated = node;
    cache->change++;
    if (before != CACHE_NONE) {
        cache_list_remove(&cache->nodes[before].nominated, slot);
        cache->nominated_total--;
        cache_node_leave(cache, before);
    }
    if (node != CACHE_NONE) {
        cache_list_add(&cache->nodes[node].nominated, slot);
        cache->nominated_total++;
    }
}
