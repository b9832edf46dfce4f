// Read access to the indexes: lists and sums.
#include "state/store.h"

static const HandleVec no_handles;
static const NodeUsage no_usage;
static const PoolUsage no_pool;

static const HandleVec *lane(const State *state, IndexKind kind, Symbol key, unsigned number) {
    const Bucket *bucket = key == NAME_EMPTY ? NULL : index_find(&state->index, kind, key);

    return bucket ? &bucket->lanes[number] : &no_handles;
}

const HandleVec *state_pods_on_node(const State *state, Symbol node_name) {
    return lane(state, INDEX_NODE_NAME, node_name, 0);
}

const HandleVec *state_attachments_on_node(const State *state, Symbol node_name) {
    return lane(state, INDEX_NODE_NAME, node_name, 1);
}

const HandleVec *state_pods_of_owner(const State *state, Symbol owner_uid) {
    return lane(state, INDEX_OWNER, owner_uid, 0);
}

const HandleVec *state_pods_pending(const State *state) {
    return index_pending(&state->index, &state->slots[KUBE_POD]);
}

const HandleVec *state_nodes_with_provider_id(const State *state, Symbol provider_id) {
    return lane(state, INDEX_PROVIDER, provider_id, 0);
}

const HandleVec *state_claims_with_provider_id(const State *state, Symbol provider_id) {
    return lane(state, INDEX_PROVIDER, provider_id, 1);
}

const HandleVec *state_nodes_of_pool(const State *state, Symbol pool) {
    return lane(state, INDEX_POOL, pool, 0);
}

const HandleVec *state_claims_of_pool(const State *state, Symbol pool) {
    return lane(state, INDEX_POOL, pool, 1);
}

const HandleVec *state_budgets_in(const State *state, Symbol ns) {
    return lane(state, INDEX_NAMESPACE, ns, 0);
}

const HandleVec *state_volume_claims_in(const State *state, Symbol ns) {
    return lane(state, INDEX_NAMESPACE, ns, 1);
}

const NodeUsage *state_node_usage(const State *state, Symbol node_name) {
    const Bucket *bucket = index_find(&state->index, INDEX_NODE_NAME, node_name);

    return bucket ? &bucket->usage : &no_usage;
}

const PoolUsage *state_pool_usage(const State *state, Symbol pool) {
    const Bucket *bucket = index_find(&state->index, INDEX_POOL, pool);

    return bucket ? &bucket->pool : &no_pool;
}
