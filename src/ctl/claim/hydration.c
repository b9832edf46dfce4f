// nodeclaim.hydration: the label that names the NodeClass.
#include "ctl/claim/hydration.h"

#include "ctl/common/claim_facts.h"
#include "text/value_edit.h"

static bool is_labelled(const Turn *turn, const NodeClaim *claim) {
    Symbol key = symbol_find(turn->symbols, turn->settings->node_class_label);

    return key != INDEX_NONE && labels_get(&claim->meta.labels, key) == claim->spec.node_class.name;
}

static void claim_hydration_reconcile(void *self, Turn *turn, Key key) {
    const NodeClaim *claim = claim_of_key(turn, key, NULL);
    Value *body;

    (void)self;
    if (!claim || is_labelled(turn, claim))
        return;
    body = arena_new(turn->arena, Value);
    *body = value_map();
    value_put(turn->arena, value_make(turn->arena, body, "metadata", "labels", NULL), turn->settings->node_class_label,
              value_string(symbol_text(turn->symbols, claim->spec.node_class.name)));
    turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, claim->meta.name, KUBE_OBJECT, body, 0);
}

static void claim_hydration_observe(void *self, Turn *turn, const StateChange *change) {
    (void)self;
    if (change->kind == KUBE_NODE_CLAIM && change->after && !is_labelled(turn, change->after))
        turn_enqueue(turn, &claim_hydration_controller, (Key){.name = change->name}, 0);
}

const Controller claim_hydration_controller = {
    .name = "nodeclaim.hydration",
    .observe = claim_hydration_observe,
    .reconcile = claim_hydration_reconcile,
    .backoff_first_ns = 100 * NS_PER_MS,
    .backoff_max_ns = NS_PER_MIN,
};
