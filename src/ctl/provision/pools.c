// NodePools and their instance types as the next plan will see them. Behaviour: reference scheduling.md 5.1, 6.3.
#include "ctl/common/pool_facts.h"
#include "ctl/provision/parts.h"

// Instance types of a pool; NULL when it gets no nodes for pods. `log`: logs the reason.
static const InstanceTypeVec *types_of(Turn *turn, const NodePool *pool, bool log) {
    Slice name = symbol_text(turn->symbols, pool->meta.name);
    const InstanceTypeVec *types = NULL;
    CloudError error = {0};

    if (pool->is_static || pool->meta.deleting || !pool_is_managed(pool, turn->symbols, turn->settings))
        return NULL;
    if (!pool_is_ready(pool, turn->symbols)) {
        if (log)
            turn_log(turn, LOG_ERROR, "ignoring nodepool, not ready", "NodePool", name, NULL);
        return NULL;
    }
    if (cloud_instance_types(turn->cloud, pool, &types, &error) != OK) {
        if (log)
            turn_log(turn, LOG_ERROR, "skipping, unable to resolve instance types", "NodePool", name, "error",
                     arena_slice(turn->arena, slice_of(error.err.text)), NULL);
        return NULL;
    }
    if (log && !types->count)
        turn_log(turn, LOG_INFO, "skipping, no resolved instance types found", "NodePool", name, NULL);
    return types;
}

static SeenTypesVec look_at_pools(Arena *arena, Turn *turn, bool log) {
    SeenTypesVec seen = {0};

    for (Handle handle = state_next(turn->state, KUBE_NODE_POOL, HANDLE_NONE); handle.generation;
         handle = state_next(turn->state, KUBE_NODE_POOL, handle)) {
        const NodePool *pool = state_node_pool(turn->state, handle);
        const InstanceTypeVec *types = types_of(turn, pool, log);

        if (types)
            vec_push(arena, &seen, (SeenTypes){pool->meta.name, types});
    }
    return seen;
}

bool provision_pools_changed(Provisioner *provisioner, Turn *turn) {
    SeenTypesVec seen = look_at_pools(turn->arena, turn, false);

    if (seen.count != provisioner->types.count)
        return true;
    for (uint32_t i = 0; i < seen.count; i++) {
        if (seen.items[i].pool != provisioner->types.items[i].pool ||
            seen.items[i].types != provisioner->types.items[i].types)
            return true;
    }
    return false;
}

void provision_pools_remember(Provisioner *provisioner, Turn *turn) {
    arena_free(&provisioner->types_arena);
    provisioner->types_arena = (Arena){0};
    provisioner->types = look_at_pools(&provisioner->types_arena, turn, true);
    if (!provisioner->types.count)
        turn_log(turn, LOG_INFO, "no dynamic nodepools found", NULL);
}
