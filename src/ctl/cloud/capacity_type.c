// capacityreservation.capacitytype: EC2 lets the instances of an ordinary reservation that ended run on as on-demand.
// The other way round nothing ever changes. As upstream's, a patch leaves the label that says whether the reservation
// was interruptible.
#include "ctl/cloud/controllers.h"

#include "ctl/common/claim_facts.h"
#include "text/value_edit.h"

static const int64_t PERIOD_NS = NS_PER_MIN;

// Whether an object with that metadata counts as reserved, and may be written.
static bool is_reserved(const ObjectMeta *meta) {
    return !meta->deleting && labels_get(&meta->labels, NAME_CAPACITY_TYPE) == NAME_RESERVED;
}

// Whether the claim is one to look at: its own labels count, or its Node's, which may have been written before.
static bool is_concerned(const Turn *turn, const NodeClaim *claim) {
    const Node *node;

    if (!claim_is_managed(claim, turn->symbols, turn->settings) || claim->meta.deleting ||
        claim->provider_id == NAME_EMPTY || !claim_is(claim, turn->symbols, "Registered"))
        return false;
    node = claim_node(turn->state, claim);
    return is_reserved(&claim->meta) || (node && is_reserved(&node->meta));
}

static bool any_concerned(const Turn *turn) {
    for (Handle at = state_next(turn->state, KUBE_NODE_CLAIM, HANDLE_NONE); at.generation;
         at = state_next(turn->state, KUBE_NODE_CLAIM, at)) {
        if (is_concerned(turn, state_node_claim(turn->state, at)))
            return true;
    }
    return false;
}

static void capacity_type_start(void *self, Turn *turn) {
    (void)self;
    if (turn->settings->looks_up_classes && turn->settings->gate_reserved_capacity)
        turn_enqueue(turn, &capacity_type_controller, (Key){0}, 0);
}

static void capacity_type_reconcile(void *self, Turn *turn, Key key) {
    (void)self;
    turn_again(turn, key, PERIOD_NS);
    if (any_concerned(turn))
        turn_intend(turn, INTENT_LIST_INSTANCES);
}

// A failure must not stop the others; the next round repeats it.
static void relabel(Turn *turn, KubeKind kind, const ObjectMeta *meta) {
    Value *body = arena_new(turn->arena, Value), *labels;

    *body = value_map();
    labels = value_make(turn->arena, body, "metadata", "labels", NULL);
    value_put(turn->arena, labels, symbol_text(turn->symbols, NAME_CAPACITY_TYPE),
              value_string(symbol_text(turn->symbols, NAME_ON_DEMAND)));
    value_put(turn->arena, labels, symbol_text(turn->symbols, NAME_RESERVATION_ID), value_null());
    value_put(turn->arena, labels, SLICE("karpenter.k8s.aws/capacity-reservation-type"), value_null());
    turn_patch(turn, kind, NAME_EMPTY, meta->name, KUBE_OBJECT, body, 0);
    vec_last(turn->intents)->aside = true;
}

static void compare(Turn *turn, const NodeClaim *claim) {
    const Node *node;

    if (!is_concerned(turn, claim))
        return;
    node = claim_node(turn->state, claim);
    if (is_reserved(&claim->meta))
        relabel(turn, KUBE_NODE_CLAIM, &claim->meta);
    if (node && is_reserved(&node->meta) && labels_get(&node->meta.labels, NAME_REGISTERED) == NAME_TRUE)
        relabel(turn, KUBE_NODE, &node->meta);
}

static void capacity_type_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    const Completion *last = &completions[count - 1];

    (void)self;
    if (last->type != INTENT_LIST_INSTANCES)
        return claim_log_failure(turn, last);
    claim_settle(turn, key, last);
    for (uint32_t i = 0; last->code == OK && i < last->instances->count; i++) {
        const CloudInstance *instance = &last->instances->items[i];
        const HandleVec *claims = state_claims_with_provider_id(turn->state, instance->provider_id);

        for (uint32_t k = 0; instance->capacity_type == NAME_ON_DEMAND && k < claims->count; k++)
            compare(turn, state_node_claim(turn->state, claims->items[k]));
    }
}

const Controller capacity_type_controller = {
    .name = "capacityreservation.capacitytype",
    .start = capacity_type_start,
    .reconcile = capacity_type_reconcile,
    .complete = capacity_type_complete,
    .backoff_first_ns = NS_PER_S,
    .backoff_max_ns = NS_PER_MIN,
};
