// The controller: who is looked at when, and the order of the steps. Reference lifecycle.md 2.1.
#include "ctl/claim/pass.h"

#include "ctl/common/node_facts.h"
#include "text/value_edit.h"

static void claim_lifecycle_release(void *self) {
    uint32_t at = 0;

    for (ClaimNote *note = notes_next(self, &at); note; note = notes_next(self, &at))
        arena_free(&note->arena);
}

static void forget(NoteTable *notes, Symbol uid) {
    ClaimNote *note = notes_find(notes, (Key){.name = uid});

    if (!note)
        return;
    arena_free(&note->arena);
    notes_remove(notes, (Key){.name = uid});
}

// What the launch gave stands in the status now.
static void forget_launch(ClaimNote *note) {
    arena_free(&note->arena);
    note->arena = (Arena){0};
    note->outcome = LAUNCH_UNTRIED;
}

// --- what the steps share

void claim_pass_wait(ClaimPass *pass, int64_t at_ns) {
    int64_t wait_ns = at_ns - pass->turn->now_ns;

    if (wait_ns < 0)
        wait_ns = 0;
    if (wait_ns < pass->wait_ns)
        pass->wait_ns = wait_ns;
}

bool claim_pass_tell(ClaimPass *pass, unsigned line) {
    bool first = !(pass->note->told & line);

    pass->note->told |= line;
    return first;
}

void claim_pass_event(ClaimPass *pass, const char *reason, Slice message) {
    Turn *turn = pass->turn;

    turn_event(turn, KUBE_NODE_CLAIM, &pass->claim->meta, true, reason, "%.*s", SLICE_ARG(message));
    vec_last(turn->intents)->event.dedupe_key =
        arena_printf(turn->arena, "%s/%.*s", reason, SLICE_ARG(symbol_text(turn->symbols, pass->claim->meta.uid)));
}

void claim_pass_remove(ClaimPass *pass) {
    turn_remove(pass->turn, KUBE_NODE_CLAIM, &pass->claim->meta);
}

static void put_resources(Turn *turn, Value *status, const char *name, const Resources *resources) {
    Value *map = value_put(turn->arena, status, slice_of(name), value_map());

    for (vec_each(const ResourceAmount, entry, resources))
        value_put(turn->arena, map, symbol_text(turn->symbols, entry->resource),
                  value_string(resource_print(turn->arena, entry->resource, entry->amount)));
}

static void put_symbol(Turn *turn, Value *status, const char *name, Symbol symbol) {
    if (symbol != NAME_EMPTY)
        value_put(turn->arena, status, slice_of(name), value_string(symbol_text(turn->symbols, symbol)));
}

void claim_pass_write_status(ClaimPass *pass) {
    Turn *turn = pass->turn;
    Value *body, *status;

    if (!pass->conditions.changed && !pass->launched && pass->node_name == NAME_EMPTY)
        return;
    body = conditions_patch(&pass->conditions);
    status = value_find_text(body, "status");
    put_symbol(turn, status, "nodeName", pass->node_name);
    if (pass->launched) {
        put_symbol(turn, status, "providerID", pass->note->instance.provider_id);
        put_symbol(turn, status, "imageID", pass->note->instance.image_id);
        put_resources(turn, status, "capacity", &pass->note->instance.capacity);
        put_resources(turn, status, "allocatable", &pass->note->instance.allocatable);
    }
    turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, pass->claim->meta.name, KUBE_STATUS, body,
               pass->claim->meta.revision);
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

// A claim that is not going away. What a step finds out stays in the pass, and is written once at its end.
static void go_on(ClaimPass *pass) {
    if (!claim_is_held(pass->claim, pass->turn->symbols))
        return add_finalizer(pass); // before anything exists that it would have to hold
    if (!claim_launch(pass))
        return;
    claim_register(pass);
    claim_initialize(pass);
    if (claim_check_liveness(pass))
        claim_pass_write_status(pass);
}

static void claim_lifecycle_reconcile(void *self, Turn *turn, Key key) {
    NoteTable *notes = self;
    ClaimPass pass = {.turn = turn, .key = key, .wait_ns = INT64_MAX};

    pass.claim = claim_of_key(turn, key, &pass.handle);
    if (!pass.claim)
        return;
    pass.note = notes_add(notes, (Key){.name = pass.claim->meta.uid});
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

// --- who is looked at

static void look_at(Turn *turn, const NodeClaim *claim) {
    turn_enqueue(turn, &claim_lifecycle_controller, claim_key(claim), 0);
}

// A Node matters to its claim until it is initialized, and again when the claim goes away.
static void look_at_claims_of(Turn *turn, const Node *node) {
    if (!node || node->provider_id == NAME_EMPTY)
        return;
    for (vec_each(const Handle, handle, state_claims_with_provider_id(turn->state, node->provider_id))) {
        const NodeClaim *claim = state_node_claim(turn->state, *handle);

        if (claim->meta.deleting || !claim_is(claim, turn->symbols, "Initialized"))
            look_at(turn, claim);
    }
}

static void claim_lifecycle_observe(void *self, Turn *turn, const StateChange *change) {
    if (change->kind == KUBE_NODE_CLAIM) {
        if (claim_ended(change))
            forget(self, claim_ended(change)->meta.uid);
        if (change->after)
            look_at(turn, change->after);
    } else if (change->kind == KUBE_NODE) {
        look_at_claims_of(turn, change->before);
        look_at_claims_of(turn, change->after);
    }
}

// Whether it is the answer to a question that was asked for this very claim: another one may have its name by now. The
// instance that the other one got is claim_orphans' then.
static bool is_about(const Completion *completion, const NodeClaim *claim) {
    return claim && completion->tag == claim->meta.uid;
}

// The cloud's answers go into the note of the claim; the next pass acts upon them.
static void claim_lifecycle_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    NoteTable *notes = self;
    const Completion *last = &completions[count - 1];
    const NodeClaim *claim = state_node_claim(turn->state, state_find(turn->state, KUBE_NODE_CLAIM, key.ns, key.name));
    bool ended = last->type == INTENT_TERMINATE && (last->code == OK || last->code == ERR_NOT_FOUND);
    ClaimNote *note;

    if (last->type != INTENT_LAUNCH && !ended)
        return claim_settle(turn, key, last);
    if (!is_about(last, claim))
        return turn_again(turn, key, 0);
    note = notes_add(notes, (Key){.name = claim->meta.uid});
    if (ended)
        claim_note_termination(note, turn, last);
    else
        claim_note_launch(note, turn, last);
    turn_again(turn, key, 0);
}

const Controller claim_lifecycle_controller = {
    .name = "nodeclaim.lifecycle",
    .memory_size = sizeof(NoteTable),
    .notes = {{0, sizeof(ClaimNote)}},
    .release = claim_lifecycle_release,
    .observe = claim_lifecycle_observe,
    .reconcile = claim_lifecycle_reconcile,
    .complete = claim_lifecycle_complete,
    .backoff_first_ns = INT64_C(1000000000),
    .backoff_max_ns = INT64_C(60000000000),
};
