// nodepool.hash: the annotations by which static drift is detected. Behaviour: reference lifecycle.md 5.2.
//
// NodeClaims carry the hash of the template that they were made from (ctl/provision/claim.c); a change of the way of
// hashing is carried out as common/hash_stamp.h says. Every failure is retried, since a claim that was deleted
// meanwhile must not keep the pool from its new version.
#include "ctl/common/hash_stamp.h"
#include "ctl/common/pool_facts.h"
#include "ctl/pool/controllers.h"

#include "model/hash/nodepool_hash.h"

static void pool_hash_observe(void *self, Turn *turn, const StateChange *change) {
    (void)self;
    if (change->kind == KUBE_NODE_POOL && change->after)
        turn_enqueue(turn, &pool_hash_controller, (Key){.name = change->name}, 0);
}

static void pool_hash_reconcile(void *self, Turn *turn, Key key) {
    const NodePool *pool = state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, key.name));
    HashStamp stamp;

    (void)self;
    if (!pool || !pool_is_managed(pool, turn->symbols, turn->settings))
        return;
    stamp = (HashStamp){
        .hash_key = symbol_text(turn->symbols, NAME_NODEPOOL_HASH),
        .version_key = symbol_text(turn->symbols, NAME_NODEPOOL_HASH_VERSION),
        .hash = arena_printf(turn->arena, "%llu", (unsigned long long)node_pool_hash(turn->symbols, pool)),
        .version = SLICE(NODE_POOL_HASH_VERSION),
    };
    if (!hash_stamp_has_version(turn, &pool->meta, &stamp)) {
        for (vec_each(const Handle, handle, state_claims_of_pool(turn->state, pool->meta.name)))
            hash_stamp_claim(turn, state_node_claim(turn->state, *handle), &stamp);
    }
    hash_stamp_object(turn, KUBE_NODE_POOL, &pool->meta, &stamp);
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
