// kube-scheduler's queueing hints, per class: which changes may let a pod pass a plugin that refused it.
#include "sim/scheduler/cache/index.h"
#include "sim/scheduler/cache/match.h"

static bool room_could_do(const SchedulerCache *cache, const CacheShape *shape, uint32_t node) {
    for (vec_each(const CacheRequest, request, &shape->requests)) {
        if (request->amount > cache->columns[request->column].allocatable[node])
            return false;
    }
    return true;
}

static bool has_keys(const SchedulerCache *cache, const CacheRules *rules, uint32_t node) {
    for (uint32_t i = 0; i < rules->count; i++) {
        if (cache->keys[cache->views[rules->items[i].view].key].of_node[node] == CACHE_NONE)
            return false;
    }
    return true;
}

static CacheHint hint_present_node(SchedulerCache *cache, const CacheClass *class, const CacheNodeChange *change) {
    const CacheShape *shape = &cache->shapes[class->shape];
    const CacheNode *node = &cache->nodes[change->node];
    CacheHint hint = 0;

    if (change->added || change->taints) {
        bool tolerated = !cache_taint_in_the_way(cache->symbols, &shape->spec.tolerations, &node->taints);

        hint |= tolerated ? PLUGIN_TAINTS | PLUGIN_NODE_UNSCHEDULABLE : 0;
    }
    if (change->added || change->labels) {
        if (shape->has_fields || cache_affinity_holds(cache->symbols, &shape->spec, NULL, node))
            hint |= PLUGIN_NODE_AFFINITY;
        hint |= PLUGIN_AFFINITY | PLUGIN_VOLUMES | PLUGIN_VOLUME_ZONE;
    }
    if ((change->added || change->room) && room_could_do(cache, shape, change->node))
        hint |= PLUGIN_FIT;
    if ((change->added || change->labels || change->taints) && has_keys(cache, &class->hard, change->node))
        hint |= PLUGIN_SPREAD;
    if (change->added)
        hint |= PLUGIN_PORTS | PLUGIN_VOLUME_LIMITS;
    return hint;
}

CacheHint cache_hint_node(SchedulerCache *cache, uint32_t class_index, const CacheNodeChange *change) {
    if (change->node == CACHE_NONE)
        return 0;
    if (change->removed)
        return PLUGIN_SPREAD;
    return hint_present_node(cache, &cache->classes[class_index], change) | PLUGIN_NONE;
}

static bool counts_class(const SchedulerCache *cache, const CacheRules *rules, const CacheClass *other) {
    for (uint32_t i = 0; i < rules->count; i++) {
        if (cache_list_has(&other->counted_in, rules->items[i].tally))
            return true;
    }
    (void)cache;
    return false;
}

// Whether the other class has anti-affinity to pods of this class.
static bool is_hated_by(const SchedulerCache *cache, const CacheClass *class, const CacheClass *other) {
    for (uint32_t i = 0; i < class->aimed_by.count; i++) {
        uint32_t tally = class->aimed_by.items[i];

        if (cache->tallies[tally].role == ROLE_ANTI_AFFINITY && cache_list_has(&other->counted_in, tally))
            return true;
    }
    return false;
}

CacheHint cache_hint_pod(SchedulerCache *cache, uint32_t class_index, uint32_t other_class, bool placed) {
    const CacheClass *class = &cache->classes[class_index], *other = &cache->classes[other_class];
    CacheHint hint = counts_class(cache, &class->hard, other) ? PLUGIN_SPREAD : 0;

    if (placed)
        return hint | (counts_class(cache, &class->affinity, other) ? PLUGIN_AFFINITY : 0);
    if (counts_class(cache, &class->anti_affinity, other) || is_hated_by(cache, class, other))
        hint |= PLUGIN_AFFINITY;
    if (cache->shapes[class->shape].spec.host_ports.count)
        hint |= PLUGIN_PORTS;
    return hint | PLUGIN_FIT | PLUGIN_VOLUME_LIMITS | PLUGIN_VOLUMES | PLUGIN_NONE;
}
