// node.hydration: copies the label that names the NodeClass from the NodeClaim to the Node. The label makes a Node
// managed (lifecycle.md 0.2), so it has to be there before other controllers take care of the Node. Behaviour:
// reference lifecycle.md 0.1, 0.2, 1.
#include "ctl/node/hydration.h"

#include "ctl/common/node_facts.h"

static bool is_of_provider(const NodeClaim *claim, const Symbols *symbols, const Settings *settings) {
    return slice_eq(symbol_text(symbols, claim->spec.node_class.group), settings->node_class_group) &&
           slice_eq(symbol_text(symbols, claim->spec.node_class.kind), settings->node_class_kind);
}

// The NodeClaim whose label the Node lacks; NULL: nothing to do.
static const NodeClaim *claim_to_copy(const Turn *turn, const Node *node) {
    const NodeClaim *claim = node_claim(turn->state, node);
    Symbol key = symbol_find(turn->symbols, turn->settings->node_class_label);

    if (!claim || !is_of_provider(claim, turn->symbols, turn->settings))
        return NULL;
    if (key != INDEX_NONE && labels_get(&node->meta.labels, key) == claim->spec.node_class.name)
        return NULL;
    return claim;
}

static void node_hydration_reconcile(void *self, Turn *turn, Key key) {
    const Node *node = state_node(turn->state, state_find(turn->state, KUBE_NODE, key.ns, key.name));
    const NodeClaim *claim = node ? claim_to_copy(turn, node) : NULL;
    Value body = value_map(), *meta, *labels;

    (void)self;
    if (!claim)
        return;
    meta = value_put(turn->arena, &body, SLICE("metadata"), value_map());
    labels = value_put(turn->arena, meta, SLICE("labels"), value_map());
    value_put(turn->arena, labels, turn->settings->node_class_label,
              value_string(symbol_text(turn->symbols, claim->spec.node_class.name)));
    turn_patch(turn, KUBE_NODE, NAME_EMPTY, node->meta.name, KUBE_OBJECT, arena_copy(turn->arena, &body, sizeof body),
               0);
}

static void look_at(Turn *turn, Handle handle) {
    const Node *node = state_node(turn->state, handle);

    if (claim_to_copy(turn, node))
        turn_enqueue(turn, &node_hydration_controller, (Key){.name = node->meta.name}, 0);
}

static void node_hydration_observe(void *self, Turn *turn, const StateChange *change) {
    const NodeClaim *claim = change->after;

    (void)self;
    if (!change->after)
        return;
    if (change->kind == KUBE_NODE)
        look_at(turn, change->handle);
    if (change->kind != KUBE_NODE_CLAIM || claim->provider_id == NAME_EMPTY)
        return;
    for (vec_each(const Handle, node, state_nodes_with_provider_id(turn->state, claim->provider_id)))
        look_at(turn, *node);
}

const Controller node_hydration_controller = {
    .name = "node.hydration",
    .observe = node_hydration_observe,
    .reconcile = node_hydration_reconcile,
    .backoff_first_ns = 100 * NS_PER_MS,
    .backoff_max_ns = NS_PER_MIN,
};
