// Keys: {0} after each look of disruption, the name of a Node for its taint.
#include "ctl/outlook/planned_taint.h"

#include "ctl/common/claim_facts.h"
#include "ctl/common/node_facts.h"
#include "ctl/common/node_taints.h"
#include "ctl/common/notes.h"
#include "text/duration.h"
#include "text/value_edit.h"

typedef struct {
    Key node;
    Mono since; // it is planned to go
} PlannedNote;

// --- facts

static bool is_on(const Settings *settings) {
    return settings->planned_taint && settings->disruption;
}

static bool has_taint(const Node *node) {
    for (vec_each(const Taint, taint, &node->taints)) {
        if (taint->key == NAME_PLANNED_TO_GO)
            return true;
    }
    return false;
}

static bool has_record(const Node *node) {
    return labels_get(&node->meta.annotations, NAME_PLANNED_TO_GO) != INDEX_NONE;
}

static bool is_marked(const Node *node) {
    return has_taint(node) || has_record(node);
}

// Since when the node is marked, by its record; INT64_MIN: half of the mark is missing, or it says no time.
static int64_t marked_ns(const Turn *turn, const Node *node) {
    int64_t at_ns;
    Err err;

    if (!has_taint(node) || !has_record(node))
        return INT64_MIN;
    if (time_parse(symbol_text(turn->symbols, labels_get(&node->meta.annotations, NAME_PLANNED_TO_GO)), &at_ns, &err) !=
        OK)
        return INT64_MIN;
    return at_ns;
}

// A node that is going keeps what it has: that is over soon.
static bool is_going(const Turn *turn, Handle handle, const Node *node) {
    return state_node_is_deleting(turn->state, handle) || node_is_disrupted(node);
}

// --- writing

static void mark(Turn *turn, const Node *node, bool marked) {
    Value *body = arena_new(turn->arena, Value);

    *body = value_map();
    value_put(turn->arena, value_make(turn->arena, body, "metadata", "annotations", NULL),
              symbol_text(turn->symbols, NAME_PLANNED_TO_GO),
              marked ? value_string(time_print(turn->arena, turn->wall_ns)) : value_null());
    value_put(turn->arena, value_make(turn->arena, body, "spec", NULL), SLICE("taints"),
              node_taints_value(turn->arena, turn->symbols, node, NAME_PLANNED_TO_GO,
                                marked ? EFFECT_PREFER_NO_SCHEDULE : EFFECT_NONE));
    turn_patch(turn, KUBE_NODE, NAME_EMPTY, node->meta.name, KUBE_OBJECT, body, node->meta.revision);
}

// --- a node

// How long a mark that is not wanted any more stays.
static int64_t stays_ns(const Turn *turn, const Node *node) {
    int64_t at_ns = marked_ns(turn, node), age_ns;

    if (!is_on(turn->settings) || at_ns == INT64_MIN || at_ns > turn->wall_ns)
        return 0;
    age_ns = turn->wall_ns - at_ns;
    return age_ns < PLANNED_TAINT_LEAST_S * NS_PER_S ? PLANNED_TAINT_LEAST_S * NS_PER_S - age_ns : 0;
}

static void unmark_in_time(Turn *turn, Key key, const Node *node) {
    int64_t left_ns = stays_ns(turn, node);

    if (left_ns)
        turn_again(turn, key, left_ns);
    else
        mark(turn, node, false);
}

static void mark_in_time(Turn *turn, Key key, const Node *node, const PlannedNote *note) {
    Mono at = mono_after(note->since, PLANNED_TAINT_AFTER_S * NS_PER_S);

    if (mono_reached(turn->now, at))
        mark(turn, node, true);
    else
        turn_again(turn, key, mono_left(turn->now, at));
}

// Until disruption has looked, a mark of a former process stands.
static void look_at_node(const NoteTable *notes, Turn *turn, Key key) {
    Handle handle = state_find(turn->state, KUBE_NODE, NAME_EMPTY, key.name);
    const Node *node = state_node(turn->state, handle);
    const PlannedNote *note = notes_find(notes, key);
    bool is_half;

    if (!node || is_going(turn, handle, node))
        return;
    is_half = is_marked(node) && marked_ns(turn, node) == INT64_MIN;
    if (is_half)
        mark(turn, node, false);
    else if (note && !is_marked(node))
        mark_in_time(turn, key, node, note);
    else if (!note && is_marked(node) && (!is_on(turn->settings) || state_has_looked_ahead(turn->state)))
        unmark_in_time(turn, key, node);
}

// --- all nodes

static void call(Turn *turn, Symbol node) {
    turn_enqueue(turn, &planned_taint_controller, (Key){.name = node}, 0);
}

static void look_at_all(NoteTable *notes, Turn *turn) {
    uint32_t begun = 0;

    turn_succeed(turn, (Key){0});
    for (Handle at = state_next(turn->state, KUBE_NODE, HANDLE_NONE); at.generation;
         at = state_next(turn->state, KUBE_NODE, at)) {
        const Node *node = state_node(turn->state, at);
        Key key = {.name = node->meta.name};
        bool wanted = is_on(turn->settings) && state_outlook(turn->state, at).is_planned;

        if (wanted && !notes_find(notes, key) && begun++ < PLANNED_TAINT_NODES)
            ((PlannedNote *)notes_add(notes, key))->since = turn->now;
        else if (!wanted)
            notes_remove(notes, key);
        if (is_marked(node) != (notes_find(notes, key) != NULL))
            call(turn, key.name);
    }
}

static void planned_taint_reconcile(void *self, Turn *turn, Key key) {
    if (key_eq(key, (Key){0}))
        look_at_all(self, turn);
    else
        look_at_node(self, turn, key);
}

static void planned_taint_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    (void)self;
    claim_settle(turn, key, &completions[count - 1]);
}

static void planned_taint_observe(void *self, Turn *turn, const StateChange *change) {
    const Node *before = change->before, *after = change->after;

    if (change->kind != KUBE_NODE)
        return;
    if (!after)
        notes_remove(self, (Key){.name = change->name});
    else if (is_marked(after) || (before && is_marked(before)))
        call(turn, change->name);
}

const Controller planned_taint_controller = {
    .name = "node.planned",
    .memory_size = sizeof(NoteTable),
    .notes = {{0, sizeof(PlannedNote)}},
    .observe = planned_taint_observe,
    .reconcile = planned_taint_reconcile,
    .complete = planned_taint_complete,
    .backoff_first_ns = NS_PER_S,
    .backoff_max_ns = NS_PER_MIN,
};
