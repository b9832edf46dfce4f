// nodeclaim.expiration: deletes NodeClaims whose time has come, one a second.
#include "ctl/claim/expiration.h"

#include "ctl/common/claim_facts.h"
#include "ctl/common/notes.h"
#include "disrupt/expiration.h"

static const int64_t PAUSE_NS = CLAIM_EXPIRATION_PAUSE_S * NS_PER_S;
// Nobody waits for longer: most claims go long before their time, and one that is gone leaves the queue with its next
// look.
static const int64_t LOOK_NS = NS_PER_HOUR;

// The deletion slot of an expired claim: slots are one second apart.
typedef struct {
    Key uid; // {.name = uid of the claim}
    Mono turn_at;
} ClaimExpirationNote;

typedef struct {
    Mono next; // the first slot that is free
    NoteTable notes;
} ClaimExpirationMemory;

// How long until the claim's slot. Each claim is assigned a slot once, so that many claims that expire together cost
// one more call each.
static int64_t left_until_turn(ClaimExpirationMemory *memory, const Turn *turn, const NodeClaim *claim) {
    ClaimExpirationNote *note = notes_add(&memory->notes, (Key){.name = claim->meta.uid});

    if (!mono_is_set(note->turn_at)) {
        note->turn_at = mono_last(turn->now, memory->next);
        memory->next = mono_after(note->turn_at, PAUSE_NS);
    }
    return mono_left(turn->now, note->turn_at);
}

static void expire(Turn *turn, const NodeClaim *claim) {
    turn_log(turn, LOG_DEBUG, "deleting expired nodeclaim", "NodeClaim", symbol_text(turn->symbols, claim->meta.name),
             "Node", symbol_text(turn->symbols, claim->node_name), NULL);
    turn_remove(turn, KUBE_NODE_CLAIM, &claim->meta);
}

static void claim_expiration_reconcile(void *self, Turn *turn, Key key) {
    const NodeClaim *claim = claim_of_key(turn, key, NULL);
    int64_t at_ns, left_ns;

    if (!claim || claim->meta.deleting)
        return;
    at_ns = expiration_at_ns(claim, turn->symbols, turn->settings->expiration_jitter_percent);
    if (at_ns == INT64_MAX)
        return;
    left_ns = turn->wall_ns < at_ns ? at_ns - turn->wall_ns : left_until_turn(self, turn, claim);
    if (left_ns > 0)
        turn_again(turn, key, left_ns < LOOK_NS ? left_ns : LOOK_NS);
    else
        expire(turn, claim);
}

// Only creation and deletion matter: spec, and with it expireAfter, is immutable.
static void claim_expiration_observe(void *self, Turn *turn, const StateChange *change) {
    ClaimExpirationMemory *memory = self;

    if (change->kind != KUBE_NODE_CLAIM)
        return;
    if (claim_ended(change))
        notes_remove(&memory->notes, (Key){.name = claim_ended(change)->meta.uid});
    if (claim_begun(change))
        turn_enqueue(turn, &claim_expiration_controller, claim_key(claim_begun(change)), 0);
}

const Controller claim_expiration_controller = {
    .name = "nodeclaim.expiration",
    .memory_size = sizeof(ClaimExpirationMemory),
    .notes = {{offsetof(ClaimExpirationMemory, notes), sizeof(ClaimExpirationNote)}},
    .observe = claim_expiration_observe,
    .reconcile = claim_expiration_reconcile,
};
