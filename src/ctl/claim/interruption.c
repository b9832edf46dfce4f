// Messages of the cloud, and what is done on each.
#include "ctl/claim/interruption.h"

#include "ctl/common/claim_facts.h"
#include "ctl/common/node_facts.h"

static const struct {
    const char *kind;  // in metrics
    const char *event; // NULL: none
    const char *text;
    bool is_warning, deletes;
} reactions[CLOUD_MESSAGE_KINDS] = {
    [CLOUD_MESSAGE_OTHER] = {.kind = "no_op"},
    [CLOUD_MESSAGE_SPOT_INTERRUPTED] = {"spot_interrupted", "SpotInterrupted", "The instance will be interrupted soon",
                                        true, true},
    [CLOUD_MESSAGE_REBALANCE] = {"rebalance_recommendation", "SpotRebalanceRecommendation",
                                 "The risk of an interruption of the instance has risen", false, false},
    [CLOUD_MESSAGE_SCHEDULED_CHANGE] = {"scheduled_change", "InstanceUnhealthy",
                                        "A change of the instance or its host is scheduled", true, true},
    [CLOUD_MESSAGE_STOPPED] = {"instance_stopped", "InstanceStopping", "The instance is stopping", true, true},
    [CLOUD_MESSAGE_TERMINATED] = {"instance_terminated", "InstanceTerminating", "The instance is being terminated",
                                  true, true},
    [CLOUD_MESSAGE_RESERVATION_INTERRUPTED] = {"capacity_reservation_interrupted",
                                               "CapacityReservationInstanceInterrupted",
                                               "The capacity reservation of the instance is being taken back", true,
                                               true},
};

const char *interruption_kind(CloudMessageKind kind) {
    return reactions[kind].kind;
}

static void interruption_start(void *self, Turn *turn) {
    (void)self;
    if (turn->settings->has_interruption_queue)
        turn_enqueue(turn, &interruption_controller, (Key){0}, 0);
}

static void interruption_reconcile(void *self, Turn *turn, Key key) {
    (void)self, (void)key;
    turn_intend(turn, INTENT_RECEIVE);
}

static void tell(Turn *turn, const NodeClaim *claim, bool is_warning, const char *reason, const char *text) {
    const Node *node = claim_node(turn->state, claim);

    turn_event(turn, KUBE_NODE_CLAIM, &claim->meta, is_warning, reason, "%s", text);
    if (node)
        turn_event(turn, KUBE_NODE, &node->meta, is_warning, reason, "%s", text);
}

static void react(Turn *turn, CloudMessageKind kind, const NodeClaim *claim) {
    if (claim->meta.deleting || !claim_is_managed(claim, turn->symbols, turn->settings))
        return;
    tell(turn, claim, reactions[kind].is_warning, reactions[kind].event, reactions[kind].text);
    if (!reactions[kind].deletes)
        return;
    tell(turn, claim, true, "TerminatingOnInterruption", "Interruption triggered termination");
    turn_log(turn, LOG_INFO, "initiating delete from interruption message", "NodeClaim",
             symbol_text(turn->symbols, claim->meta.name), "messageKind", slice_of(reactions[kind].kind), NULL);
    turn_remove(turn, KUBE_NODE_CLAIM, &claim->meta);
    vec_last(turn->intents)->step.cause = reactions[kind].kind;
}

static void take(Turn *turn, const CloudMessage *message) {
    for (vec_each(const Symbol, provider_id, &message->provider_ids)) {
        const HandleVec *claims = state_claims_with_provider_id(turn->state, *provider_id);

        for (uint32_t i = 0; i < claims->count && reactions[message->kind].event; i++)
            react(turn, message->kind, state_node_claim(turn->state, claims->items[i]));
    }
    turn_intend(turn, INTENT_SETTLE)->receipt = message->receipt;
}

// Deletions and settlements are one batch: behind one that fails nothing is settled, and comes again.
static void interruption_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    const Completion *last = &completions[count - 1];
    bool is_gone = last->type == INTENT_REMOVE && last->code == ERR_NOT_FOUND;

    (void)self;
    if (last->type == INTENT_EVENT || last->type == INTENT_LOG)
        return;
    if (last->type == INTENT_RECEIVE && last->code == ERR_NOT_FOUND)
        return claim_settle(turn, key, last); // there is no queue
    if (last->code != OK && !is_gone)
        return claim_settle(turn, key, last);
    turn_succeed(turn, key);
    turn_again(turn, key, INTERRUPTION_PAUSE_S * NS_PER_S);
    if (last->type != INTENT_RECEIVE)
        return;
    for (vec_each(const CloudMessage, message, last->messages))
        take(turn, message);
}

const Controller interruption_controller = {
    .name = "interruption",
    .start = interruption_start,
    .reconcile = interruption_reconcile,
    .complete = interruption_complete,
    .backoff_first_ns = NS_PER_S,
    .backoff_max_ns = NS_PER_MIN,
};
