// static.provisioning: creates the NodeClaims that a static pool has too few of. Behaviour: reference lifecycle.md 6.1.
//
// The creates of one call are one batch: the pool's key is busy until all are answered, and an answered create is in
// the State, so nothing is created twice and the node limit needs no reservations. After a create that was not
// answered, the pool's claims are read from the API server before they are counted again.
#include "ctl/common/notes.h"
#include "ctl/common/pool_facts.h"
#include "ctl/pool/static_capacity.h"
#include "ctl/provision/claim.h"

enum { LOOK_EVERY_S = 60, LIMIT_RETRY_S = 30 };

StaticCount static_count(const State *state, Symbol pool) {
    StaticCount count = {0};

    for (vec_each(const Handle, handle, state_claims_of_pool(state, pool))) {
        if (!state_claim_is_deleting(state, *handle))
            count.active++;
        else if (state_node_claim(state, *handle)->meta.deleting)
            count.deleting++;
        else
            count.pending++;
    }
    return count;
}

bool static_is_ours(const Turn *turn, const NodePool *pool) {
    return turn->settings->gate_static_capacity && pool && pool->is_static &&
           pool_is_managed(pool, turn->symbols, turn->settings);
}

static void static_provisioning_observe(void *self, Turn *turn, const StateChange *change) {
    const NodeClaim *claim = change->after ? change->after : change->before;
    NoteTable *doubtful = self;
    Symbol pool;

    if (change->kind == KUBE_NODE_POOL && !change->after)
        notes_remove(doubtful, (Key){.name = change->name});
    if (!turn->settings->gate_static_capacity)
        return;
    if (change->kind == KUBE_NODE_POOL && change->after && ((const NodePool *)change->after)->is_static)
        turn_enqueue(turn, &static_provisioning_controller, (Key){.name = change->name}, 0);
    if (change->kind != KUBE_NODE_CLAIM || (change->after && !claim->meta.deleting))
        return;
    pool = labels_get(&claim->meta.labels, NAME_NODEPOOL);
    if (pool != INDEX_NONE)
        turn_enqueue(turn, &static_provisioning_controller, (Key){.name = pool}, 0);
}

// Number of claims that the limit on nodes still allows beside replacements on order.
static int64_t room_for(const Turn *turn, const NodePool *pool, const StaticCount *count) {
    int64_t there = (int64_t)count->active + count->pending + count->deleting;
    Resources on_order = {0};

    state_forget_orders(turn->state, turn->now);
    state_add_orders(turn->state, turn->arena, pool->meta.name, &on_order);
    there += resources_get(&on_order, NAME_NODES);
    if (!pool->has_limits || !resources_has(&pool->limits, NAME_NODES))
        return INT64_MAX;
    return resources_get(&pool->limits, NAME_NODES) > there ? resources_get(&pool->limits, NAME_NODES) - there : 0;
}

static void create_claims(Turn *turn, const NodePool *pool, int64_t count) {
    Value *object = arena_new(turn->arena, Value);

    *object = provision_claim_of_pool(turn->arena, turn->symbols, pool, SLICE(""), SLICE(""));
    for (int64_t i = 0; i < count; i++)
        turn_create(turn, KUBE_NODE_CLAIM, object);
}

static Slice number(Turn *turn, int64_t value) {
    return arena_printf(turn->arena, "%lld", (long long)value);
}

static void read_claims(Turn *turn, Key key) {
    turn_read(turn, KUBE_NODE_CLAIM,
              arena_printf(turn->arena, "karpenter.sh/nodepool=%.*s", SLICE_ARG(symbol_text(turn->symbols, key.name))),
              (Slice){0});
}

static void static_provisioning_reconcile(void *self, Turn *turn, Key key) {
    const NodePool *pool = state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, key.name));
    const NoteTable *doubtful = self;
    StaticCount count;
    int64_t wanted, room;

    if (!static_is_ours(turn, pool) || pool->meta.deleting || !pool_is_ready(pool, turn->symbols))
        return; // a change of the pool enqueues it again
    turn_again(turn, key, LOOK_EVERY_S * NS_PER_S);
    if (notes_find(doubtful, key))
        return read_claims(turn, key);
    count = static_count(turn->state, key.name);
    wanted = pool->replicas - count.active - count.pending;
    if (wanted <= 0)
        return;
    room = room_for(turn, pool, &count);
    if (room == 0) {
        turn_log(turn, LOG_INFO, "nodepool node limit reached", "NodePool", symbol_text(turn->symbols, key.name), NULL);
        return turn_again(turn, key, LIMIT_RETRY_S * NS_PER_S);
    }
    if (wanted > room)
        wanted = room;
    turn_log(turn, LOG_INFO, "provisioning nodeclaims to satisfy replica count", "NodePool",
             symbol_text(turn->symbols, key.name), "current", number(turn, count.active), "desired",
             number(turn, pool->replicas), "provision-count", number(turn, wanted), NULL);
    create_claims(turn, pool, wanted);
}

static void static_provisioning_complete(void *self, Turn *turn, Key key, const Completion *completions,
                                         uint32_t count) {
    const Completion *last = &completions[count - 1];
    NoteTable *doubtful = self;

    if (last->type == INTENT_READ && last->code == OK)
        notes_remove(doubtful, key);
    if (last->code == OK)
        return last->type == INTENT_READ ? turn_again(turn, key, 0) : turn_succeed(turn, key);
    turn_log(turn, LOG_ERROR, "Reconciler error", "error", completion_text(last), NULL);
    if (last->type != INTENT_CREATE || !completion_is_doubtful(last))
        return turn_retry(turn, key);
    notes_add(doubtful, key);
    turn_again(turn, key, PROVISION_DOUBT_S * NS_PER_S);
}

const Controller static_provisioning_controller = {
    .name = "static.provisioning",
    .memory_size = sizeof(NoteTable),
    .notes = {{0, sizeof(Key)}}, // pools that have a create without an answer
    .observe = static_provisioning_observe,
    .reconcile = static_provisioning_reconcile,
    .complete = static_provisioning_complete,
};
