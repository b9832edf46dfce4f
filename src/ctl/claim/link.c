#include "ctl/claim/link.h"

#include "ctl/common/claim_facts.h"
#include "ctl/common/pool_facts.h"
#include "ctl/provision/claim.h"
#include "model/pool_name.h"

static void claim_link_start(void *self, Turn *turn) {
    (void)self;
    turn_enqueue(turn, &claim_link_controller, (Key){0}, 0);
}

// The Provisioner that made the Node before there were Machines; NULL: it is not such a Node, or its Provisioner is
// gone or refused (as all are without the definition of Machine). A Node that was registered has had a NodeClaim, and
// its instance ends like any that lost it.
static const NodePool *maker_of(const Turn *turn, const Node *node) {
    Symbol name = labels_get(&node->meta.labels, NAME_NODEPOOL);
    const NodePool *pool;

    if (!pool_is_provisioner(turn->symbols, name) || node->meta.deleting || node->provider_id == NAME_EMPTY ||
        labels_get(&node->meta.labels, NAME_REGISTERED) != INDEX_NONE ||
        state_claims_with_provider_id(turn->state, node->provider_id)->count)
        return NULL;
    pool = state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, name));
    if (!pool || labels_get(&pool->meta.annotations, NAME_REFUSED) != INDEX_NONE)
        return NULL;
    return !pool->meta.deleting && pool_is_managed(pool, turn->symbols, turn->settings) ? pool : NULL;
}

// "machine/default-0abcdef0123456789" of the Provisioner "default" and "aws:///us-east-1a/i-0abcdef0123456789".
static Slice name_of_machine(const Turn *turn, const NodePool *pool, const Node *node) {
    Slice instance = slice_after_last(symbol_text(turn->symbols, node->provider_id), '/');
    Slice provisioner = pool_provisioner(symbol_text(turn->symbols, pool->meta.name));

    if (slice_starts_with(instance, SLICE("i-")))
        instance = slice_from(instance, 2);
    return arena_printf(turn->arena, MACHINE_PREFIX "%.*s-%.*s", SLICE_ARG(provisioner), SLICE_ARG(instance));
}

static void create(Turn *turn, const NodePool *pool, const Node *node, Slice name) {
    Value *object = arena_new(turn->arena, Value);

    *object =
        provision_claim_of_pool(turn->arena, turn->symbols, pool, name, symbol_text(turn->symbols, node->provider_id));
    turn_log(turn, LOG_INFO, "linking an instance that has no machine", "NodePool",
             symbol_text(turn->symbols, pool->meta.name), "Node", symbol_text(turn->symbols, node->meta.name),
             "provider-id", symbol_text(turn->symbols, node->provider_id), NULL);
    turn_create(turn, KUBE_NODE_CLAIM, object);
    vec_last(turn->intents)->aside = true; // a failure must not stop the others; the next round tries again
}

static void claim_link_reconcile(void *self, Turn *turn, Key key) {
    (void)self;
    for (Handle at = state_next(turn->state, KUBE_NODE, HANDLE_NONE); !handle_eq(at, HANDLE_NONE);
         at = state_next(turn->state, KUBE_NODE, at)) {
        const Node *node = state_node(turn->state, at);
        const NodePool *pool = maker_of(turn, node);
        Slice name = pool ? name_of_machine(turn, pool, node) : SLICE("");
        Symbol known = pool ? symbol_find(turn->symbols, name) : INDEX_NONE;

        if (pool && (known == INDEX_NONE || !state_find(turn->state, KUBE_NODE_CLAIM, NAME_EMPTY, known).generation))
            create(turn, pool, node, name);
    }
    turn_again(turn, key, CLAIM_LINK_PERIOD_S * NS_PER_S);
}

static void claim_link_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    (void)self, (void)key;
    claim_log_failure(turn, &completions[count - 1]);
}

const Controller claim_link_controller = {
    .name = "machine.link",
    .start = claim_link_start,
    .reconcile = claim_link_reconcile,
    .complete = claim_link_complete,
};
