// Messages of the cloud's queue.
#include "ctl/claim/interruption.h"

#include "ctl/claim/lifecycle.h"
#include "ctl/common/claim_facts.h"
#include "ctl/common/reaction.h"

static void interruption_start(void *self, Turn *turn) {
    (void)self;
    if (turn->settings->has_interruption_queue)
        turn_enqueue(turn, &interruption_controller, (Key){0}, 0);
}

static void interruption_reconcile(void *self, Turn *turn, Key key) {
    (void)self, (void)key;
    turn_intend(turn, INTENT_RECEIVE);
}

// Whether the message is about an instance that was launched just now: what ended it may end the next one, too, and is
// worth a question. Its claim holds no pods yet.
static bool is_early_end(const Turn *turn, CloudMessageKind kind, const NodeClaim *claim) {
    const Condition *launched = condition_get(&claim->conditions, turn->symbols, SLICE("Launched"));

    return kind == CLOUD_MESSAGE_TERMINATED && claim_is(claim, turn->symbols, "Launched") &&
           !claim_is(claim, turn->symbols, "Registered") &&
           turn->wall_ns - launched->transition_ns < INTERRUPTION_EARLY_S * NS_PER_S;
}

static void take(Turn *turn, const CloudMessage *message) {
    for (vec_each(const Symbol, provider_id, &message->provider_ids)) {
        const HandleVec *claims = state_claims_with_provider_id(turn->state, *provider_id);

        for (uint32_t i = 0; i < claims->count; i++) {
            const NodeClaim *claim = state_node_claim(turn->state, claims->items[i]);

            if (is_early_end(turn, message->kind, claim))
                claim_lifecycle_look(turn, claim);
            else
                reaction_intend(turn, message->kind, claim, !message->is_repeated);
        }
    }
    turn_intend(turn, INTENT_SETTLE)->receipt = message->receipt;
}

// Deletions and settlements are one batch: behind one that fails nothing is settled, and comes again. Where there were
// messages there may be more, and they do not wait: a queue has those of all of an account's instances.
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
    if (last->type != INTENT_RECEIVE)
        return turn_again(turn, key, 0);
    if (!last->messages->count)
        return turn_again(turn, key, INTERRUPTION_PAUSE_S * NS_PER_S);
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
