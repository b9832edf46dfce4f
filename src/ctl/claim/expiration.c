// The age of NodeClaims.
#include "ctl/claim/expiration.h"

#include "ctl/common/claim_facts.h"
#include "ctl/common/notes.h"

static const int64_t PAUSE_NS = CLAIM_EXPIRATION_PAUSE_S * INT64_C(1000000000);

// An expired claim waits for its turn.
typedef struct {
    Key uid; // {.name = uid of the claim}
    int64_t turn_ns;
} ClaimExpirationNote;

typedef struct {
    int64_t next_ns; // the first turn that nobody has yet
    NoteTable notes;
} ClaimExpirationMemory;

// When the claim may be deleted. Each gets its turn once, so that many that expire together cost one call more each.
static int64_t turn_of(ClaimExpirationMemory *memory, const Turn *turn, const NodeClaim *claim) {
    ClaimExpirationNote *note = notes_add(&memory->notes, (Key){.name = claim->meta.uid});

    if (note->turn_ns)
        return note->turn_ns;
    note->turn_ns = turn->now_ns > memory->next_ns ? turn->now_ns : memory->next_ns;
    memory->next_ns = note->turn_ns + PAUSE_NS;
    return note->turn_ns;
}

static void expire(Turn *turn, const NodeClaim *claim) {
    turn_log(turn, LOG_DEBUG, "deleting expired nodeclaim", "NodeClaim", symbol_text(turn->symbols, claim->meta.name),
             "Node", symbol_text(turn->symbols, claim->node_name), NULL);
    turn_remove(turn, KUBE_NODE_CLAIM, &claim->meta);
}

static void claim_expiration_reconcile(void *self, Turn *turn, Key key) {
    const NodeClaim *claim = claim_of_key(turn, key, NULL);
    int64_t at_ns;

    if (!claim || claim->meta.deleting || claim->spec.expire_after_ns == DURATION_NEVER ||
        __builtin_add_overflow(claim->meta.created_ns, claim->spec.expire_after_ns, &at_ns))
        return;
    if (turn->now_ns >= at_ns)
        at_ns = turn_of(self, turn, claim);
    if (turn->now_ns < at_ns)
        turn_again(turn, key, at_ns - turn->now_ns);
    else
        expire(turn, claim);
}

// The time of a claim never changes: its spec is immutable.
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
