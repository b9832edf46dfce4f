// nodepool.hash: the annotations by which static drift is detected. Behaviour: reference lifecycle.md 5.2.
//
// NodeClaims carry the hash of the template that they were made from (ctl/provision/claim.c). When the hash version on
// the NodePool is an older one, the claims get the new hash before the pool does, so that the change of version makes
// nothing drift; a claim that is drifted already keeps its hash and stays drifted. The pool's version is written last,
// so a process that restarts in between goes on where it stopped. Every failure is retried, since a claim that was
// deleted meanwhile must not keep the pool from its new version.
#include "ctl/common/pool_facts.h"
#include "ctl/pool/controllers.h"

#include "model/hash/nodepool_hash.h"

static void pool_hash_observe(void *self, Turn *turn, const StateChange *change) {
    (void)self;
    if (change->kind == KUBE_NODE_POOL && change->after)
        turn_enqueue(turn, &pool_hash_controller, (Key){.name = change->name}, 0);
}

static bool has_annotation(const Turn *turn, const ObjectMeta *meta, Symbol key, Slice value) {
    Symbol found = labels_get(&meta->annotations, key);

    return found != INDEX_NONE && slice_eq(symbol_text(turn->symbols, found), value);
}

// Patches hash (unless empty) and version.
static void stamp(Turn *turn, KubeKind kind, const ObjectMeta *meta, Slice hash) {
    Value *body = arena_new(turn->arena, Value);
    Value *metadata, *annotations;

    *body = value_map();
    metadata = value_put(turn->arena, body, SLICE("metadata"), value_map());
    annotations = value_put(turn->arena, metadata, SLICE("annotations"), value_map());
    if (hash.len)
        value_put(turn->arena, annotations, symbol_text(turn->symbols, NAME_NODEPOOL_HASH), value_string(hash));
    value_put(turn->arena, annotations, symbol_text(turn->symbols, NAME_NODEPOOL_HASH_VERSION),
              value_string(SLICE(NODE_POOL_HASH_VERSION)));
    turn_patch(turn, kind, meta->ns, meta->name, KUBE_OBJECT, body, 0);
}

static void stamp_claims(Turn *turn, const NodePool *pool, Slice hash) {
    for (vec_each(const Handle, handle, state_claims_of_pool(turn->state, pool->meta.name))) {
        const NodeClaim *claim = state_node_claim(turn->state, *handle);

        if (has_annotation(turn, &claim->meta, NAME_NODEPOOL_HASH_VERSION, SLICE(NODE_POOL_HASH_VERSION)))
            continue;
        stamp(turn, KUBE_NODE_CLAIM, &claim->meta,
              condition_get(&claim->conditions, turn->symbols, SLICE("Drifted")) ? (Slice){0} : hash);
    }
}

static void pool_hash_reconcile(void *self, Turn *turn, Key key) {
    const NodePool *pool = state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, key.name));
    bool current;
    Slice hash;

    (void)self;
    if (!pool || !pool_is_managed(pool, turn->symbols, turn->settings))
        return;
    hash = arena_printf(turn->arena, "%llu", (unsigned long long)node_pool_hash(turn->symbols, pool));
    current = has_annotation(turn, &pool->meta, NAME_NODEPOOL_HASH_VERSION, SLICE(NODE_POOL_HASH_VERSION));
    if (!current)
        stamp_claims(turn, pool, hash);
    if (!current || !has_annotation(turn, &pool->meta, NAME_NODEPOOL_HASH, hash))
        stamp(turn, KUBE_NODE_POOL, &pool->meta, hash);
}

static void pool_hash_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    const Completion *last = &completions[count - 1];

    (void)self;
    if (last->code == OK)
        return turn_succeed(turn, key);
    if (last->code != ERR_CONFLICT && last->code != ERR_NOT_FOUND)
        turn_log(turn, LOG_ERROR, "Reconciler error", "NodePool", symbol_text(turn->symbols, key.name), "error",
                 completion_text(last), NULL);
    turn_retry(turn, key);
}

const Controller pool_hash_controller = {
    .name = "nodepool.hash",
    .observe = pool_hash_observe,
    .reconcile = pool_hash_reconcile,
    .complete = pool_hash_complete,
};
