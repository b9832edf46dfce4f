// Keys: {0} for a pass over all nodes, the name of a Node for the pods on it. What is written stands on the pods alone;
// the notes only say what the last pass wanted of a node.
#include "ctl/outlook/deletion_cost.h"

#include "ctl/common/claim_facts.h"
#include "ctl/common/node_facts.h"
#include "ctl/common/notes.h"
#include "ctl/outlook/cost_values.h"
#include "model/pod_predicates.h"
#include "text/value_edit.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct {
    Key node;
    int32_t value;   // COST_VALUE_NONE: tenon's are to be taken off
    Mono lost_place; // when it was first seen without one; {0}: it has one
} CostNote;

typedef struct {
    NoteTable notes;
    bool is_called; // the key {0} is enqueued
    Mono passed_at; // the last pass
} DeletionCosts;

static bool is_on(const Settings *settings) {
    return settings->gate_pod_deletion_cost && settings->disruption;
}

static void call(DeletionCosts *costs, Turn *turn) {
    Mono at = mono_after(costs->passed_at, DELETION_COST_PERIOD_S * NS_PER_S);

    if (costs->is_called)
        return;
    costs->is_called = true;
    turn_enqueue(turn, &deletion_cost_controller, (Key){0},
                 mono_is_set(costs->passed_at) ? mono_left(turn->now, at) : 0);
}

// --- pods

// What is to be done about a pod.
typedef enum {
    WRITE_NOTHING, // not a pod that gets a value
    WRITE_SAME,    // it has the one that it should have
    WRITE_VALUE,
    WRITE_OFF,    // tenon's value goes
    WRITE_RECORD, // the value is somebody else's by now: the record goes
} CostWrite;

static Symbol annotation(const Pod *pod, Symbol key) {
    return labels_get(&pod->annotations, key);
}

static CostWrite what_to_write(const Symbols *symbols, const Pod *pod, int32_t value) {
    Symbol present = annotation(pod, NAME_POD_DELETION_COST);
    bool is_own = pod_deletion_cost_is_own(pod);
    int64_t number;

    if (!pod_is_active(pod))
        return WRITE_NOTHING;
    if (!is_own && annotation(pod, NAME_OWN_DELETION_COST) != INDEX_NONE)
        return WRITE_RECORD;
    if (value == COST_VALUE_NONE || !pod_is_of_replica_set(pod))
        return is_own ? WRITE_OFF : WRITE_NOTHING;
    if (present == INDEX_NONE)
        return WRITE_VALUE;
    if (!is_own)
        return WRITE_NOTHING;
    return slice_to_int64(symbol_text(symbols, present), &number) && number == value ? WRITE_SAME : WRITE_VALUE;
}

static Value value_of(const Turn *turn, CostWrite write, int32_t value) {
    return write == WRITE_VALUE ? value_string(arena_printf(turn->arena, "%" PRId32, value)) : value_null();
}

static void write_pod(Turn *turn, const Pod *pod, CostWrite write, int32_t value) {
    Value *body = arena_new(turn->arena, Value), *annotations;

    *body = value_map();
    annotations = value_make(turn->arena, body, "metadata", "annotations", NULL);
    if (write != WRITE_RECORD)
        value_put(turn->arena, annotations, symbol_text(turn->symbols, NAME_POD_DELETION_COST),
                  value_of(turn, write, value));
    value_put(turn->arena, annotations, symbol_text(turn->symbols, NAME_OWN_DELETION_COST),
              value_of(turn, write, value));
    turn_patch(turn, KUBE_POD, pod->ns, pod->name, KUBE_OBJECT, body, pod->revision); // nobody wrote a value meanwhile
}

// Writes what is to be written to the pods of a node.
static void write_node(const DeletionCosts *costs, Turn *turn, Key key) {
    const CostNote *note = notes_find(&costs->notes, key);

    if (!note)
        return;
    for (vec_each(const Handle, handle, state_pods_on_node(turn->state, key.name))) {
        const Pod *pod = state_pod(turn->state, *handle);
        CostWrite write = what_to_write(turn->symbols, pod, note->value);

        if (write > WRITE_SAME)
            write_pod(turn, pod, write, note->value);
    }
}

// --- nodes

typedef struct {
    Handle handle;
    Symbol name, pool; // pool: INDEX_NONE: of none
    uint32_t place;    // 0: none
    bool is_going;
    int32_t present, value;
    uint32_t writes, unchanged; // pods
    const Symbols *symbols;
} CostNode;
typedef Vec(CostNode) CostNodeVec;

// The value that tenon wrote to the first pod of the node that has one.
static int32_t present_value(const Turn *turn, Symbol node) {
    for (vec_each(const Handle, handle, state_pods_on_node(turn->state, node))) {
        const Pod *pod = state_pod(turn->state, *handle);
        int64_t value;

        if (pod_deletion_cost_is_own(pod) &&
            slice_to_int64(symbol_text(turn->symbols, annotation(pod, NAME_OWN_DELETION_COST)), &value) &&
            value > COST_VALUE_FIRST && value < 0)
            return (int32_t)value;
    }
    return COST_VALUE_NONE;
}

static CostNodeVec list_nodes(const Turn *turn) {
    CostNodeVec nodes = {0};

    for (Handle at = state_next(turn->state, KUBE_NODE, HANDLE_NONE); at.generation;
         at = state_next(turn->state, KUBE_NODE, at)) {
        const Node *object = state_node(turn->state, at);
        CostNode *node = vec_add(turn->arena, &nodes);
        bool is_ours = is_on(turn->settings) && node_claim(turn->state, object);

        *node =
            (CostNode){.handle = at,
                       .name = object->meta.name,
                       .pool = labels_get(&object->meta.labels, NAME_NODEPOOL),
                       .place = is_ours ? state_outlook(turn->state, at).place : 0,
                       .is_going = is_ours && (state_node_is_deleting(turn->state, at) || node_is_disrupted(object)),
                       .present = present_value(turn, object->meta.name),
                       .symbols = turn->symbols};
    }
    return nodes;
}

// Going ones first, then by place, then those that stay. Within a place who has a value keeps it; new ones come last.
static int compare_nodes(const void *a, const void *b) {
    const CostNode *x = a, *y = b;

    if (x->is_going != y->is_going)
        return x->is_going ? -1 : 1;
    if (x->place != y->place)
        return x->place - 1 < y->place - 1 ? -1 : 1; // 0 is the last
    if (x->present != y->present)
        return x->present < y->present ? -1 : 1;
    return slice_cmp(symbol_text(x->symbols, x->name), symbol_text(y->symbols, y->name));
}

// Gives the sorted nodes their values.
static void assign(const Turn *turn, CostNodeVec *nodes) {
    int32_t *present = arena_array(turn->arena, int32_t, nodes->count + 1);
    int32_t *values = arena_array(turn->arena, int32_t, nodes->count + 1);
    uint32_t first = 0, count = 0;

    while (first < nodes->count && nodes->items[first].is_going)
        nodes->items[first++].value = COST_VALUE_FIRST;
    for (; first + count < nodes->count && nodes->items[first + count].place; count++)
        present[count] = nodes->items[first + count].present;
    cost_values_assign(turn->arena, present, count, values);
    for (uint32_t i = 0; i < count; i++)
        nodes->items[first + i].value = values[i];
}

// Who loses its place keeps its value for a while: many are blocked for a moment, by a pod that is expected or by a
// budget. Returns whether it does.
static bool keep_value(DeletionCosts *costs, const Turn *turn, CostNode *node) {
    CostNote *note;

    if (!is_on(turn->settings) || node->value != COST_VALUE_NONE || node->present == COST_VALUE_NONE)
        return false;
    note = notes_add(&costs->notes, (Key){.name = node->name});
    if (!mono_is_set(note->lost_place))
        note->lost_place = turn->now;
    if (mono_since(turn->now, note->lost_place) >= DELETION_COST_KEPT_S * NS_PER_S)
        return false;
    node->value = node->present;
    return true;
}

static void count_writes(const Turn *turn, CostNode *node) {
    for (vec_each(const Handle, handle, state_pods_on_node(turn->state, node->name))) {
        CostWrite write = what_to_write(turn->symbols, state_pod(turn->state, *handle), node->value);

        node->writes += write > WRITE_SAME;
        node->unchanged += write == WRITE_SAME;
    }
}

// --- a pass

static void tell_metrics(Turn *turn, const CostNodeVec *nodes) {
    for (Handle at = state_next(turn->state, KUBE_NODE_POOL, HANDLE_NONE); at.generation;
         at = state_next(turn->state, KUBE_NODE_POOL, at)) {
        CostedStep step = {.pool = state_node_pool(turn->state, at)->meta.name};

        for (vec_each(const CostNode, node, nodes)) {
            step.nodes_pending += node->pool == step.pool && node->writes;
            step.pods_unchanged += node->pool == step.pool ? node->unchanged : 0;
        }
        turn_intend(turn, INTENT_COSTED)->costed = step;
    }
}

static void note_node(DeletionCosts *costs, const CostNode *node) {
    Key key = {.name = node->name};
    CostNote *note;

    if (node->value == COST_VALUE_NONE && !node->writes)
        return notes_remove(&costs->notes, key);
    note = notes_add(&costs->notes, key);
    note->value = node->value;
    if (node->place || node->is_going)
        note->lost_place = (Mono){0};
}

static void pass(DeletionCosts *costs, Turn *turn) {
    CostNodeVec nodes = list_nodes(turn);
    uint32_t written = 0;
    bool is_kept = false;

    if (nodes.count)
        qsort(nodes.items, nodes.count, sizeof *nodes.items, compare_nodes);
    assign(turn, &nodes);
    costs->passed_at = turn->now;
    for (vec_each(CostNode, node, &nodes)) {
        is_kept |= keep_value(costs, turn, node);
        count_writes(turn, node);
        if (node->writes && written++ >= DELETION_COST_NODES)
            continue; // in a later pass
        note_node(costs, node);
        if (node->writes)
            turn_enqueue(turn, &deletion_cost_controller, (Key){.name = node->name}, 0);
    }
    tell_metrics(turn, &nodes);
    if (written > DELETION_COST_NODES || is_kept)
        call(costs, turn);
}

// With the gate nothing is known before disruption has looked: what a former process wrote stays until then.
static void pass_in_time(DeletionCosts *costs, Turn *turn) {
    Mono at = mono_after(costs->passed_at, DELETION_COST_PERIOD_S * NS_PER_S);

    turn_succeed(turn, (Key){0});
    costs->is_called = false;
    if (is_on(turn->settings) && !state_has_looked_ahead(turn->state))
        return;
    if (mono_is_set(costs->passed_at) && !mono_reached(turn->now, at))
        return call(costs, turn);
    pass(costs, turn);
}

static void deletion_cost_reconcile(void *self, Turn *turn, Key key) {
    if (key_eq(key, (Key){0}))
        pass_in_time(self, turn);
    else
        write_node(self, turn, key);
}

// A pod that is gone, or was changed meanwhile, ends the batch: the rest is written again.
static void deletion_cost_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    const Completion *last = &completions[count - 1];

    (void)self;
    if (last->code == OK)
        turn_succeed(turn, key);
    else if (last->code == ERR_NOT_FOUND || last->code == ERR_CONFLICT)
        turn_retry(turn, key);
    else
        claim_fail(turn, key, completion_text(last));
}

// --- changes

// Whether a pod makes a pass necessary: a new one on a node that goes, a value where there should be none.
static bool concerns(const DeletionCosts *costs, const Turn *turn, const Pod *pod) {
    if (!is_on(turn->settings))
        return annotation(pod, NAME_OWN_DELETION_COST) != INDEX_NONE;
    return pod->node_name != NAME_EMPTY && pod_is_active(pod) && pod_is_of_replica_set(pod) &&
           annotation(pod, NAME_POD_DELETION_COST) == INDEX_NONE &&
           notes_find(&costs->notes, (Key){.name = pod->node_name});
}

static void observe_node(DeletionCosts *costs, Turn *turn, const StateChange *change) {
    const Node *before = change->before, *after = change->after;

    if (!after)
        notes_remove(&costs->notes, (Key){.name = change->name});
    else if (is_on(turn->settings) && before &&
             (before->meta.deleting != after->meta.deleting || node_is_disrupted(before) != node_is_disrupted(after)))
        call(costs, turn);
}

static void deletion_cost_observe(void *self, Turn *turn, const StateChange *change) {
    if (change->kind == KUBE_NODE)
        observe_node(self, turn, change);
    else if (change->kind == KUBE_POD && change->after && concerns(self, turn, change->after))
        call(self, turn);
}

const Controller deletion_cost_controller = {
    .name = "pod.deletioncost",
    .memory_size = sizeof(DeletionCosts),
    .notes = {{offsetof(DeletionCosts, notes), sizeof(CostNote)}},
    .observe = deletion_cost_observe,
    .reconcile = deletion_cost_reconcile,
    .complete = deletion_cost_complete,
    .backoff_first_ns = NS_PER_S,
    .backoff_max_ns = 5 * NS_PER_MIN,
};
