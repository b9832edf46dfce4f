// The controller node.termination: its notes, what starts a pass, and completions of its intents. The steps are in
// node/steps.c. Behaviour: reference lifecycle.md 3.1, 3.2; texts 7.3.
#include "ctl/node/termination.h"

#include "ctl/common/notes.h"
#include "ctl/node/pass.h"

static void node_termination_release(void *self) {
    uint32_t at = 0;

    for (NodeNote *note = notes_next(self, &at); note; note = notes_next(self, &at))
        arena_free(&note->arena);
}

static void forget(NoteTable *notes, Key key) {
    NodeNote *note = notes_find(notes, key);

    if (!note)
        return;
    arena_free(&note->arena);
    notes_remove(notes, key);
}

// The note of the node; reset when another node has the name now.
static NodeNote *note_of(NoteTable *notes, Key key, const Node *node) {
    NodeNote *note = notes_add(notes, key);

    if (note->uid == node->meta.uid)
        return note;
    arena_free(&note->arena);
    *note = (NodeNote){.node = key, .uid = node->meta.uid};
    return note;
}

static const Node *terminating_node(const Turn *turn, Symbol name) {
    const Node *node = state_node(turn->state, state_find(turn->state, KUBE_NODE, NAME_EMPTY, name));

    return node && node_is_terminating(node, turn->symbols, turn->settings) ? node : NULL;
}

// Whether the finalizer has just been removed: the State does not know it yet, and to remove it again would find
// nothing.
static bool awaits_end(Turn *turn, Key key, const NodeNote *note) {
    int64_t left_ns = NODE_RELEASE_WAIT_S * NS_PER_S - mono_since(turn->now, note->released);

    if (left_ns > 0)
        turn_again(turn, key, left_ns);
    return left_ns > 0;
}

static void node_termination_reconcile(void *self, Turn *turn, Key key) {
    NoteTable *notes = self;
    NodePass pass = {.turn = turn, .key = key, .wait_ns = INT64_MAX, .node = terminating_node(turn, key.name)};

    if (!pass.node) {
        forget(notes, key);
        turn_succeed(turn, key);
        return;
    }
    pass.note = note_of(notes, key, pass.node);
    if (awaits_end(turn, key, pass.note))
        return;
    pass.claim = node_claim(turn->state, pass.node);
    if (pass.claim)
        pass.conditions = conditions_open(turn, &claim_condition_rules, &pass.claim->meta, &pass.claim->conditions);
    pass.speaks = mono_since(turn->now, pass.note->said) >= NODE_DRAIN_POLL_S * NS_PER_S;
    node_steps_take(&pass);
}

// --- what starts a pass

static void wake(Turn *turn, Symbol node_name) {
    if (node_name != NAME_EMPTY && terminating_node(turn, node_name))
        turn_enqueue(turn, &node_termination_controller, (Key){.name = node_name}, 0);
}

static void wake_nodes_of(Turn *turn, const NodeClaim *claim) {
    if (!claim || claim->provider_id == NAME_EMPTY)
        return;
    for (vec_each(const Handle, handle, state_nodes_with_provider_id(turn->state, claim->provider_id)))
        wake(turn, state_node(turn->state, *handle)->meta.name);
}

// Enqueues the Node that a changed object belongs to. `object` is NULL for the missing side of a creation or removal.
static void wake_for(Turn *turn, KubeKind kind, const void *object) {
    if (!object)
        return;
    if (kind == KUBE_NODE)
        wake(turn, ((const Node *)object)->meta.name);
    if (kind == KUBE_POD)
        wake(turn, ((const Pod *)object)->node_name);
    if (kind == KUBE_VOLUME_ATTACHMENT)
        wake(turn, ((const VolumeAttachment *)object)->node_name);
    if (kind == KUBE_NODE_CLAIM)
        wake_nodes_of(turn, object);
}

static void node_termination_observe(void *self, Turn *turn, const StateChange *change) {
    NoteTable *notes = self;

    if (change->kind == KUBE_NODE && !change->after)
        forget(notes, (Key){.name = change->name});
    wake_for(turn, change->kind, change->after);
    wake_for(turn, change->kind, change->before);
}

// --- completions

static void log_success(Turn *turn, Key key, uint64_t tag) {
    const Node *node = state_node(turn->state, state_find(turn->state, KUBE_NODE, NAME_EMPTY, key.name));
    const NodeClaim *claim = node ? node_claim(turn->state, node) : NULL;
    Slice name = symbol_text(turn->symbols, key.name);

    if (tag == NODE_TAG_TAINT)
        turn_log(turn, LOG_INFO, "tainted node", "Node", name, "taint.Key", symbol_text(turn->symbols, NAME_DISRUPTED),
                 "taint.Value", SLICE(""), "taint.Effect", SLICE("NoSchedule"), NULL);
    if (tag == NODE_TAG_FINALIZER)
        turn_log(turn, LOG_INFO, "deleted node", "Node", name, "NodeClaim",
                 claim ? symbol_text(turn->symbols, claim->meta.name) : SLICE(""), NULL);
}

// Records the answer to an intent. Returns whether the pass may go on from it; an instance that is not found is an
// answer, too.
static bool take_answer(Turn *turn, NodeNote *note, Key key, const Completion *completion) {
    bool missing = completion->code == ERR_NOT_FOUND;

    switch (completion->type) {
    case INTENT_GET_INSTANCE:
        note->missing = missing;
        if (completion->code == OK)
            note->seen = turn->now;
        return missing || completion->code == OK;
    case INTENT_TERMINATE:
        note->gone |= missing;
        if (completion->code == OK)
            note->terminated = turn->now;
        return missing || completion->code == OK;
    case INTENT_READ:
        note->pods_read = completion->code == OK;
        return note->pods_read;
    case INTENT_PATCH:
        if (completion->code == OK)
            log_success(turn, key, completion->tag);
        if (completion->code == OK && completion->tag == NODE_TAG_FINALIZER)
            note->released = turn->now;
        return completion->code == OK;
    case INTENT_REMOVE:
        if (completion->code != OK)
            note->claim_removed = (Mono){0};
        return completion->code == OK;
    default:
        return completion->code == OK;
    }
}

static Slice failure_text(Turn *turn, const Completion *completion) {
    return arena_printf(turn->arena, "%s%.*s",
                        completion->type == INTENT_GET_INSTANCE ? "getting nodeclaim, "
                        : completion->type == INTENT_TERMINATE  ? "ensuring instance termination, "
                                                                : "",
                        SLICE_ARG(completion_text(completion)));
}

static void node_termination_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    NoteTable *notes = self;
    NodeNote *note = notes_find(notes, key);
    NodeNote unnoted = {.node = key};

    if (count == 0 || intent_is_aside(completions[0].type))
        return;
    for (uint32_t i = 0; i < count; i++) {
        const Completion *completion = &completions[i];

        if (take_answer(turn, note ? note : &unnoted, key, completion))
            continue;
        // conflict, not found: the State lags behind; the next pass decides from its update
        if (completion->code != ERR_CONFLICT && completion->code != ERR_NOT_FOUND)
            turn_log(turn, LOG_ERROR, "Reconciler error", "error", failure_text(turn, completion), NULL);
        turn_retry(turn, key);
        return;
    }
    turn_succeed(turn, key);
    turn_again(turn, key, 0);
}

const Controller node_termination_controller = {
    .name = "node.termination",
    .memory_size = sizeof(NoteTable),
    .notes = {{0, sizeof(NodeNote)}},
    .release = node_termination_release,
    .observe = node_termination_observe,
    .reconcile = node_termination_reconcile,
    .complete = node_termination_complete,
    .backoff_first_ns = 100 * NS_PER_MS,
    .backoff_max_ns = 10 * NS_PER_S,
};
