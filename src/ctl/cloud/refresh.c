// The controllers of refreshes: one implementation.
#include "ctl/cloud/refresh.h"

#include "ctl/cloud/zones.h"
#include "ctl/common/claim_facts.h"
#include "ctl/common/notes.h"
#include "ctl/common/reaction.h"

// A NodeClaim that a message asks something about.
typedef struct {
    Key claim; // {.name = its name}
    Symbol uid;
    CloudMessageKind kind;
    bool is_told;
} RefreshNote;

typedef struct {
    NoteTable notes;
    bool is_denied; // the last refresh was, which is logged
} RefreshMemory;

static const struct {
    const Controller *controller;
    int64_t period_ns;
} refreshes[CLOUD_REFRESH_COUNT] = {
#define X(name, text, period) {&refresh_##name##_controller, (period)*NS_PER_S},
    CLOUD_REFRESHES(X)
#undef X
};

static void start(Turn *turn, CloudRefresh what) {
    if (cloud_refreshes(turn->cloud) & 1u << what)
        turn_enqueue(turn, refreshes[what].controller, (Key){0}, 0);
}

// --- NodeClaims

static void act(RefreshMemory *memory, Turn *turn, Key key) {
    RefreshNote *note = notes_find(&memory->notes, key);
    const NodeClaim *claim = claim_of_key(turn, key, NULL);

    if (!note)
        return;
    if (!claim || claim->meta.uid != note->uid || claim->meta.deleting) {
        notes_remove(&memory->notes, key);
        return;
    }
    reaction_intend(turn, note->kind, claim, !note->is_told);
    note->is_told = true;
    if (reaction_strength(note->kind) < reaction_strength(CLOUD_MESSAGE_EVENT_SCHEDULED))
        notes_remove(&memory->notes, key); // there were events, and that is all
}

static void remember(RefreshMemory *memory, Turn *turn, const CloudMessage *message, const NodeClaim *claim) {
    Key key = claim_key(claim);
    RefreshNote *note;

    if (claim->meta.deleting || !claim_is_managed(claim, turn->symbols, turn->settings) ||
        !reaction_strength(message->kind))
        return;
    note = notes_find(&memory->notes, key);
    if (!note || note->uid != claim->meta.uid) {
        note = notes_add(&memory->notes, key);
        *note = (RefreshNote){key, claim->meta.uid, message->kind, message->is_repeated};
    } else if (reaction_strength(message->kind) > reaction_strength(note->kind)) {
        note->kind = message->kind;
    }
    turn_again(turn, key, 0);
}

static void take(RefreshMemory *memory, Turn *turn, const CloudMessage *message) {
    if (message->zone != NAME_EMPTY && !message->is_repeated)
        zones_tell(turn, message);
    for (vec_each(const Symbol, provider_id, &message->provider_ids)) {
        const HandleVec *claims = state_claims_with_provider_id(turn->state, *provider_id);

        for (uint32_t i = 0; i < claims->count; i++)
            remember(memory, turn, message, state_node_claim(turn->state, claims->items[i]));
    }
}

// --- the refresh

static void reconcile(void *self, Turn *turn, Key key, CloudRefresh what) {
    if (key.name != NAME_EMPTY)
        act(self, turn, key);
    else
        turn_intend(turn, INTENT_REFRESH)->refresh = what;
}

static void complete_refresh(RefreshMemory *memory, Turn *turn, Key key, const Completion *last, CloudRefresh what) {
    bool was_denied = memory->is_denied;

    memory->is_denied = last->code == ERR_DENIED;
    if (last->code != OK && !(was_denied && memory->is_denied))
        turn_log(turn, LOG_ERROR, "Reconciler error", "error", completion_text(last), NULL);
    if (last->code != OK && !memory->is_denied)
        return turn_retry(turn, key);
    turn_succeed(turn, key);
    turn_again(turn, key, refreshes[what].period_ns);
    for (uint32_t i = 0; last->code == OK && last->messages && i < last->messages->count; i++)
        take(memory, turn, &last->messages->items[i]);
}

static void complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count,
                     CloudRefresh what) {
    RefreshMemory *memory = self;
    const Completion *last = &completions[count - 1];

    if (last->type == INTENT_REFRESH)
        return complete_refresh(memory, turn, key, last, what);
    if (last->code == OK || last->code == ERR_NOT_FOUND)
        notes_remove(&memory->notes, key);
    claim_settle(turn, key, last);
}

// A claim that is gone needs nothing, and its name may be given to another one.
static void observe(void *self, Turn *turn, const StateChange *change) {
    const NodeClaim *ended = change->kind == KUBE_NODE_CLAIM ? claim_ended(change) : NULL;
    RefreshMemory *memory = self;

    (void)turn;
    if (ended)
        notes_remove(&memory->notes, claim_key(ended));
}

#define X(refresh, text, period)                                                                                       \
    static void start_##refresh(void *self, Turn *turn) {                                                              \
        (void)self;                                                                                                    \
        start(turn, CLOUD_REFRESH_##refresh);                                                                          \
    }                                                                                                                  \
    static void reconcile_##refresh(void *self, Turn *turn, Key key) {                                                 \
        reconcile(self, turn, key, CLOUD_REFRESH_##refresh);                                                           \
    }                                                                                                                  \
    static void complete_##refresh(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {   \
        complete(self, turn, key, completions, count, CLOUD_REFRESH_##refresh);                                        \
    }                                                                                                                  \
    const Controller refresh_##refresh##_controller = {                                                                \
        .name = (text),                                                                                                \
        .memory_size = sizeof(RefreshMemory),                                                                          \
        .notes = {{offsetof(RefreshMemory, notes), sizeof(RefreshNote)}},                                              \
        .observe = observe,                                                                                            \
        .start = start_##refresh,                                                                                      \
        .reconcile = reconcile_##refresh,                                                                              \
        .complete = complete_##refresh,                                                                                \
        .backoff_first_ns = NS_PER_S,                                                                                  \
        .backoff_max_ns = (period) / 10 * NS_PER_S,                                                                    \
    };
CLOUD_REFRESHES(X)
#undef X
