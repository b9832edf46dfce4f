// The controller nodeclaim.lifecycle: which claims are reconciled when, and the order of the steps. Behaviour:
// reference lifecycle.md 2.1.
#include "ctl/claim/early_end.h"
#include "ctl/claim/finalize.h"
#include "ctl/claim/initialization.h"
#include "ctl/claim/late_labels.h"
#include "ctl/claim/launch.h"
#include "ctl/claim/liveness.h"
#include "ctl/claim/registration.h"
#include "ctl/common/class_facts.h"
#include "ctl/common/node_facts.h"
#include "text/value_edit.h"

typedef struct {
    NoteTable claims;  // by uid
    NoteTable classes; // by name
} Lifecycle;

static void claim_lifecycle_release(void *self) {
    const Lifecycle *lifecycle = self;
    uint32_t at = 0;

    for (ClaimNote *note = notes_next(&lifecycle->claims, &at); note; note = notes_next(&lifecycle->claims, &at))
        arena_free(&note->arena);
}

static void forget(NoteTable *notes, Symbol uid) {
    ClaimNote *note = notes_find(notes, (Key){.name = uid});

    if (!note)
        return;
    arena_free(&note->arena);
    notes_remove(notes, (Key){.name = uid});
}

// Forgets the result of a launch: it is in the status.
static void forget_launch(ClaimNote *note) {
    if (note->outcome == LAUNCH_ENDED)
        return;
    arena_free(&note->arena);
    note->arena = (Arena){0};
    note->outcome = LAUNCH_UNTRIED;
}

// --- the pass

static void add_finalizer(ClaimPass *pass) {
    Turn *turn = pass->turn;
    Value *body = arena_new(turn->arena, Value), *list;

    *body = value_map();
    list = value_put(turn->arena, value_make(turn->arena, body, "metadata", NULL), SLICE("finalizers"), value_list());
    for (vec_each(const Symbol, finalizer, &pass->claim->meta.finalizers))
        value_append(turn->arena, list, value_string(symbol_text(turn->symbols, *finalizer)));
    value_append(turn->arena, list, value_string(node_finalizer));
    turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, pass->claim->meta.name, KUBE_OBJECT, body,
               pass->claim->meta.revision);
}

// Steps of a claim that is not being deleted. They collect their changes in the pass, which writes the status once at
// its end.
static void go_on(ClaimPass *pass) {
    if (!claim_is_held(pass->claim, pass->turn->symbols))
        return add_finalizer(pass); // before anything exists that the finalizer has to protect
    if (!claim_launch(pass) || !claim_check_instance(pass))
        return;
    if (claim_wait_for_labels(pass))
        claim_register(pass);
    claim_initialize(pass);
    if (claim_check_liveness(pass))
        claim_pass_write_status(pass);
}

static const Symbol looked_at = NAME_TRUE; // as the namespace of a key

// The intents of a pass are of the key without a namespace.
static void look_now(Lifecycle *lifecycle, Turn *turn, Symbol name) {
    const NodeClaim *claim = claim_of_key(turn, (Key){.name = name}, NULL);

    if (!claim)
        return;
    ((ClaimNote *)notes_add(&lifecycle->claims, (Key){.name = claim->meta.uid}))->look_at = turn->now;
    turn_again(turn, claim_key(claim), 0);
}

void claim_lifecycle_look(Turn *turn, const NodeClaim *claim) {
    turn_enqueue(turn, &claim_lifecycle_controller, (Key){looked_at, claim->meta.name}, 0);
}

static void claim_lifecycle_reconcile(void *self, Turn *turn, Key key) {
    Lifecycle *lifecycle = self;
    ClaimPass pass = {.turn = turn, .key = key, .wait_ns = INT64_MAX};

    if (key.ns == looked_at)
        return look_now(lifecycle, turn, key.name);
    pass.claim = claim_of_key(turn, key, &pass.handle);
    if (!pass.claim)
        return;
    pass.note = notes_add(&lifecycle->claims, (Key){.name = pass.claim->meta.uid});
    pass.class_note = notes_find(&lifecycle->classes, (Key){.name = pass.claim->spec.node_class.name});
    pass.provider_id = pass.claim->provider_id;
    if (claim_is(pass.claim, turn->symbols, "Launched"))
        forget_launch(pass.note);
    if (pass.provider_id == NAME_EMPTY && pass.note->outcome == LAUNCH_DONE)
        pass.provider_id = pass.note->instance.provider_id;
    pass.conditions = conditions_open(turn, &claim_condition_rules, &pass.claim->meta, &pass.claim->conditions);
    if (pass.claim->meta.deleting)
        claim_finalize(&pass);
    else
        go_on(&pass);
    if (pass.wait_ns != INT64_MAX)
        turn_again(turn, key, pass.wait_ns);
}

// --- which claims are reconciled

static void look_at(Turn *turn, const NodeClaim *claim) {
    turn_enqueue(turn, &claim_lifecycle_controller, claim_key(claim), 0);
}

// Enqueues the claims of a Node: its changes matter until initialization, and again when the claim is deleted.
static void look_at_claims_of(Turn *turn, const Node *node) {
    if (!node || node->provider_id == NAME_EMPTY)
        return;
    for (vec_each(const Handle, handle, state_claims_with_provider_id(turn->state, node->provider_id))) {
        const NodeClaim *claim = state_node_claim(turn->state, *handle);

        if (claim->meta.deleting || !claim_is(claim, turn->symbols, "Initialized"))
            look_at(turn, claim);
    }
}

static void observe_claim(Lifecycle *lifecycle, Turn *turn, const StateChange *change) {
    const NodeClaim *ended = claim_ended(change), *claim = change->after;

    if (ended)
        forget(&lifecycle->claims, ended->meta.uid);
    if (!claim)
        return;
    look_at(turn, claim);
    if (claim_is(claim, turn->symbols, "Registered"))
        claim_class_works(&lifecycle->classes, turn, claim);
}

static void observe_class(Lifecycle *lifecycle, Turn *turn, const StateChange *change) {
    const ObjectMeta *before = change->before, *after = change->after;

    if (!before || !after || before->generation != after->generation)
        claim_class_reopen(&lifecycle->classes, turn, change->name);
}

static void claim_lifecycle_observe(void *self, Turn *turn, const StateChange *change) {
    if (change->kind == KUBE_NODE_CLAIM) {
        observe_claim(self, turn, change);
    } else if (class_is_kind(change->kind)) {
        observe_class(self, turn, change);
    } else if (change->kind == KUBE_NODE) {
        look_at_claims_of(turn, change->before);
        look_at_claims_of(turn, change->after);
    }
}

// Whether the completion is about this claim and not about an earlier one of the same name. An instance that was
// launched for the earlier one is left to instance.garbagecollection.
static bool is_about(const Completion *completion, const NodeClaim *claim) {
    return claim && completion->tag == claim->meta.uid;
}

// Records the cloud's answers in the claim's note, for the next pass.
static void claim_lifecycle_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    Lifecycle *lifecycle = self;
    const Completion *last = &completions[count - 1];
    const NodeClaim *claim = state_node_claim(turn->state, state_find(turn->state, KUBE_NODE_CLAIM, key.ns, key.name));
    bool ended = last->type == INTENT_TERMINATE && (last->code == OK || last->code == ERR_NOT_FOUND);
    ClaimNote *note;

    if (last->type != INTENT_LAUNCH && last->type != INTENT_GET_INSTANCE && !ended)
        return claim_settle(turn, key, last);
    if (!is_about(last, claim))
        return turn_again(turn, key, 0);
    note = notes_add(&lifecycle->claims, (Key){.name = claim->meta.uid});
    if (last->type == INTENT_GET_INSTANCE && claim->provider_id == NAME_EMPTY &&
        claim_linked(claim, turn->symbols) != NAME_EMPTY) {
        claim_note_linked(note, claim, turn, last);
    } else if (last->type == INTENT_GET_INSTANCE) {
        claim_note_look(&lifecycle->classes, note, claim, turn, last);
        claim_take_labels(turn, claim, last);
    } else if (ended) {
        claim_note_termination(note, turn, last);
    } else {
        claim_note_launch(note, turn, last);
    }
    turn_again(turn, key, 0);
}

const Controller claim_lifecycle_controller = {
    .name = "nodeclaim.lifecycle",
    .memory_size = sizeof(Lifecycle),
    .notes = {{offsetof(Lifecycle, claims), sizeof(ClaimNote)}, {offsetof(Lifecycle, classes), sizeof(ClassNote)}},
    .release = claim_lifecycle_release,
    .observe = claim_lifecycle_observe,
    .reconcile = claim_lifecycle_reconcile,
    .complete = claim_lifecycle_complete,
    .backoff_first_ns = NS_PER_S,
    .backoff_max_ns = NS_PER_MIN,
};
