// nodepool.counter: writes the resources of a pool's nodes to its status. Behaviour: reference lifecycle.md 5.1.
//
// Karpenter counts every 5 s; here a change of the pool, or of one of its nodes or claims, starts a count, at most one
// in 5 s.
#include "ctl/common/pool_facts.h"
#include "ctl/pool/controllers.h"

enum { COUNT_EVERY_S = 5 };

static void ask(Turn *turn, Symbol pool, int64_t after_s) {
    if (pool != INDEX_NONE)
        turn_enqueue(turn, &pool_counter_controller, (Key){.name = pool}, after_s * NS_PER_S);
}

static Symbol pool_of(const ObjectMeta *meta) {
    return labels_get(&meta->labels, NAME_NODEPOOL);
}

static const ObjectMeta *meta_of(KubeKind kind, const void *object) {
    if (!object)
        return NULL;
    return kind == KUBE_NODE ? &((const Node *)object)->meta : &((const NodeClaim *)object)->meta;
}

static void pool_counter_observe(void *self, Turn *turn, const StateChange *change) {
    const ObjectMeta *before, *after;

    (void)self;
    if (change->kind == KUBE_NODE_POOL && change->after)
        ask(turn, change->name, change->before ? COUNT_EVERY_S : 0);
    if (change->kind != KUBE_NODE && change->kind != KUBE_NODE_CLAIM)
        return;
    before = meta_of(change->kind, change->before);
    after = meta_of(change->kind, change->after);
    if (after)
        ask(turn, pool_of(after), COUNT_EVERY_S);
    if (before && (!after || pool_of(before) != pool_of(after)))
        ask(turn, pool_of(before), COUNT_EVERY_S);
}

// The five resources that are always listed, and all others that there are.
static Resources counted(Turn *turn, const PoolUsage *usage) {
    static const Symbol always[] = {NAME_CPU, NAME_MEMORY, NAME_PODS, NAME_EPHEMERAL_STORAGE, NAME_NODES};
    Resources resources = resources_copy(turn->arena, &usage->capacity);

    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        resources_set(turn->arena, &resources, always[i], resources_get(&usage->capacity, always[i]));
    resources_set(turn->arena, &resources, NAME_NODES, usage->nodes);
    return resources;
}

static bool says_the_same(const Resources *a, const Resources *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (!resources_has(b, a->items[i].resource) || resources_get(b, a->items[i].resource) != a->items[i].amount)
            return false;
    }
    return true;
}

static void put_resources(Turn *turn, Value *map, const Resources *now, const Resources *stored) {
    for (uint32_t i = 0; i < stored->count; i++) {
        if (!resources_has(now, stored->items[i].resource))
            value_put(turn->arena, map, symbol_text(turn->symbols, stored->items[i].resource), value_null());
    }
    for (uint32_t i = 0; i < now->count; i++) {
        Symbol resource = now->items[i].resource;

        value_put(turn->arena, map, symbol_text(turn->symbols, resource),
                  value_string(resource_print(turn->arena, resource, now->items[i].amount)));
    }
}

static void pool_counter_reconcile(void *self, Turn *turn, Key key) {
    const NodePool *pool = state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, key.name));
    const PoolUsage *usage;
    Resources resources;
    Value *body, *status, *map;

    (void)self;
    if (!pool || !pool_is_managed(pool, turn->symbols, turn->settings))
        return;
    usage = state_pool_usage(turn->state, key.name);
    resources = counted(turn, usage);
    if (says_the_same(&resources, &pool->status_resources) && pool->status_nodes == usage->nodes)
        return;
    body = arena_new(turn->arena, Value);
    *body = value_map();
    status = value_put(turn->arena, body, SLICE("status"), value_map());
    value_put(turn->arena, status, SLICE("nodes"), value_int(turn->arena, usage->nodes));
    map = value_put(turn->arena, status, SLICE("resources"), value_map());
    put_resources(turn, map, &resources, &pool->status_resources);
    turn_patch(turn, KUBE_NODE_POOL, NAME_EMPTY, key.name, KUBE_STATUS, body, 0);
}

const Controller pool_counter_controller = {
    .name = "nodepool.counter",
    .observe = pool_counter_observe,
    .reconcile = pool_counter_reconcile,
};
