// DaemonSets: one pod on each eligible node.
//
// A set has a place per node (an array by node slot). Only places whose node or pod changed are handled; a changed set
// handles all. A pod belongs to the place that it was created for, even before it is bound.
#include "sim/workloads/daemon_set.h"

#include "base/alloc.h"
#include "sim/workloads/records.h"
#include "sim/workloads/template.h"
#include "sim/workloads/writing.h"

#include <stdlib.h>

enum { BURST = 250 };

static void read_set(SimWorkload *set) {
    const Value *spec = workload_spec(set);
    DaemonSetPart *part = &set->daemon_set;

    part->revision = workload_template_hash(&set->arena, value_get_text(spec, "template"), 0);
    part->on_delete = slice_eq_text(kube_text(spec, "updateStrategy", "type", NULL), "OnDelete");
}

// Places.

static DaemonPlace *place_at(DaemonSetPart *part, uint32_t index) {
    GROW(part->places, part->capacity, index + 1);
    return &part->places[index];
}

static void count_place(DaemonSetPart *part, const DaemonPlace *place, int sign) {
    bool has_pod = place->pod.generation != 0;
    uint32_t one = (uint32_t)sign; // wraps to −1

    part->wanted += place->wanted ? one : 0;
    part->present += place->wanted && has_pod ? one : 0;
    part->misplaced += !place->wanted && has_pod ? one : 0;
    part->ready += place->wanted && has_pod && place->ready && !place->going ? one : 0;
    part->updated += place->wanted && has_pod && !place->old ? one : 0;
    part->old += has_pod && place->old && !place->going ? one : 0;
}

static void place_due(SimWorkload *set, uint32_t index) {
    vec_push(&set->workloads->arena, &set->daemon_set.due, index);
    workload_due(set);
}

static bool is_old(const SimWorkload *set, const Pod *pod) {
    Symbols *symbols = set->workloads->symbols;
    Symbol value = labels_get(&pod->labels, symbol_intern(symbols, SLICE("controller-revision-hash")));

    return value == INDEX_NONE || !slice_eq(symbol_text(symbols, value), set->daemon_set.revision);
}

static void describe_pod(const SimWorkload *set, DaemonPlace *place, const Pod *pod) {
    place->ready = pod && pod->ready;
    place->going = pod && pod->deleting;
    place->old = pod && is_old(set, pod);
}

static const DaemonSet *daemon_set_of(const SimWorkload *set) {
    const State *state = set->workloads->state;

    return state_daemon_set(state, state_find(state, KUBE_DAEMON_SET, set->ns, set->name));
}

// Decides whether the node should have a pod. A node that is gone should not.
static void judge_place(SimWorkload *set, const DaemonSet *daemon_set, DaemonPlace *place) {
    const Node *node = state_node(set->workloads->state, place->node);
    DaemonVerdict verdict = {false, false};

    if (node)
        verdict = daemon_verdict(set->workloads->symbols, daemon_set, node->meta.name, node);
    count_place(&set->daemon_set, place, -1);
    place->wanted = verdict.wanted;
    place->allowed = verdict.allowed;
    describe_pod(set, place, workload_pod(set, place->pod));
    count_place(&set->daemon_set, place, 1);
}

// Observing.

static bool taints_eq(const TaintVec *a, const TaintVec *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->items[i].key != b->items[i].key || a->items[i].value != b->items[i].value ||
            a->items[i].effect != b->items[i].effect)
            return false;
    }
    return true;
}

static bool matters(const Node *before, const Node *after) {
    return !before || !after || !labels_eq(&before->meta.labels, &after->meta.labels) ||
           !taints_eq(&before->taints, &after->taints);
}

static void observe_node(SimWorkload *set, const StateChange *change) {
    DaemonPlace *place = place_at(&set->daemon_set, change->handle.index);

    if (!handle_eq(place->node, change->handle)) {
        count_place(&set->daemon_set, place, -1);
        *place = (DaemonPlace){.node = change->handle};
        count_place(&set->daemon_set, place, 1);
    }
    place_due(set, change->handle.index);
}

void daemon_sets_observe(SimWorkloads *workloads, const StateChange *change) {
    if (change->kind == KUBE_NODE && !matters(change->before, change->after))
        return;
    for (vec_each(const uint32_t, slot, &workloads->daemon_sets)) {
        SimWorkload *set = workload_at(workloads, *slot);

        if (!set)
            continue;
        if (change->kind == KUBE_NODE)
            observe_node(set, change);
        else if (set->ns == change->ns && set->name == change->name)
            workload_due(set);
    }
}

static uint32_t place_of_new_pod(SimWorkload *set, const Pod *pod) {
    const State *state = set->workloads->state;
    Handle node;

    for (vec_each(const uint32_t, index, &set->daemon_set.flying)) {
        if (set->daemon_set.places[*index].awaited == pod->uid)
            return *index;
    }
    node = pod->node_name ? state_find(state, KUBE_NODE, NAME_EMPTY, pod->node_name) : HANDLE_NONE;
    return node.generation ? node.index : SLOT_NONE;
}

static void land(SimWorkload *set, uint32_t index) {
    U32Vec *flying = &set->daemon_set.flying;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < flying->count; i++) {
        if (flying->items[i] != index)
            flying->items[kept++] = flying->items[i];
    }
    flying->count = kept;
    set->daemon_set.places[index].awaited = SYMBOL_EMPTY;
}

// Whether a pod belongs to the place. A pod of an earlier node with that slot does not: the pod garbage collector
// deletes it.
static bool is_of_place(const SimWorkload *set, const DaemonPlace *place, Handle handle, const Pod *pod) {
    const Node *node = state_node(set->workloads->state, place->node);

    if (place->pod.generation)
        return handle_eq(place->pod, handle);
    return pod && (!pod->node_name || (node && node->meta.name == pod->node_name));
}

static void observe_pod(SimWorkload *set, const StateChange *change) {
    PodNote *note = workload_pod_note(set->workloads, change->handle);
    const Pod *pod = change->after;
    DaemonPlace *place;

    if (note->place == SLOT_NONE && pod)
        note->place = place_of_new_pod(set, pod);
    if (note->place == SLOT_NONE)
        return;
    place = place_at(&set->daemon_set, note->place);
    if (!is_of_place(set, place, change->handle, pod))
        return;
    if (pod && place->awaited == pod->uid)
        land(set, note->place);
    count_place(&set->daemon_set, place, -1);
    place->pod = pod ? change->handle : HANDLE_NONE;
    describe_pod(set, place, pod);
    count_place(&set->daemon_set, place, 1);
    place_due(set, note->place);
}

// Doing.

static bool create_pod(SimWorkload *set, uint32_t index) {
    Arena *arena = &set->workloads->scratch;
    ArenaMark mark = arena_mark(arena);
    DaemonPlace *place = &set->daemon_set.places[index];
    const Node *node = state_node(set->workloads->state, place->node);
    Value pod = daemon_pod(set, arena, symbol_text(set->workloads->symbols, node->meta.name)), created;
    bool done = workload_create_pod(set, &pod, &created) == OK;

    if (done) {
        place->awaited = symbol_intern(set->workloads->symbols, kube_uid(&created));
        vec_push(&set->workloads->arena, &set->daemon_set.flying, index);
    }
    arena_rewind(arena, mark);
    return done;
}

// Handles a place; returns whether it is as it should be, or about to be.
static bool tend_place(SimWorkload *set, uint32_t index) {
    DaemonPlace *place = &set->daemon_set.places[index];
    const Pod *pod = workload_pod(set, place->pod);

    if (!pod)
        return !place->wanted || place->awaited || create_pod(set, index);
    if (!pod->deleting && (pod_is_terminal(pod) || (!place->allowed && !place->wanted)))
        workload_delete_pod(set, place->pod);
    return true;
}

static void judge_all(SimWorkload *set, const DaemonSet *daemon_set) {
    const State *state = set->workloads->state;

    for (Handle node = state_next(state, KUBE_NODE, HANDLE_NONE); node.generation;
         node = state_next(state, KUBE_NODE, node)) {
        place_at(&set->daemon_set, node.index)->node = node;
        place_due(set, node.index);
    }
    for (uint32_t i = 0; i < set->daemon_set.capacity; i++) {
        if (set->daemon_set.places[i].node.generation)
            judge_place(set, daemon_set, &set->daemon_set.places[i]);
    }
    set->daemon_set.generation = set->generation;
}

// Handles due places in the order of their changes; what exceeds a burst is handled next time.
static void tend_places(SimWorkload *set, const DaemonSet *daemon_set) {
    DaemonSetPart *part = &set->daemon_set;
    uint32_t count = part->due.count, left = 0, tended = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = part->due.items[i];

        if (tended >= BURST) {
            part->due.items[left++] = index;
            continue;
        }
        judge_place(set, daemon_set, &part->places[index]);
        if (!tend_place(set, index))
            part->due.items[left++] = index;
        tended++;
    }
    part->due.count = left;
    if (left && tended >= BURST)
        workload_due(set);
    if (!left)
        workload_succeeded(set);
}

static int64_t max_unavailable(const SimWorkload *set) {
    const Value *rolling = value_at(workload_spec(set), "updateStrategy", "rollingUpdate", NULL);
    int64_t most = read_share(rolling, "maxUnavailable", set->daemon_set.wanted, true, 1);

    return most < 1 ? 1 : most;
}

// Deletes old pods: unready ones at once, others as far as maxUnavailable allows.
static void replace_old(SimWorkload *set) {
    DaemonSetPart *part = &set->daemon_set;
    int64_t budget = max_unavailable(set) - ((int64_t)part->wanted - part->ready);

    if (part->on_delete || part->old == 0 || set->expected_deletes)
        return;
    for (uint32_t steps = 0; steps < part->capacity && (budget > 0 || part->sweep); steps++) {
        DaemonPlace *place = &part->places[part->cursor];

        part->cursor = (part->cursor + 1) % part->capacity;
        if (!place->pod.generation || !place->old || place->going || (place->ready && budget <= 0))
            continue;
        budget -= place->ready;
        workload_delete_pod(set, place->pod);
    }
    part->sweep = false;
}

static void sync_set(SimWorkload *set) {
    const DaemonSet *daemon_set = daemon_set_of(set);

    if (!set->deleting && daemon_set) {
        if (set->daemon_set.generation != set->generation) {
            judge_all(set, daemon_set);
            set->daemon_set.sweep = true;
        }
        tend_places(set, daemon_set);
        replace_old(set);
    }
    workload_write_status(set);
}

static void status_of_set(SimWorkload *set, Arena *arena, Value *status) {
    const DaemonSetPart *part = &set->daemon_set;

    put_int(arena, status, "desiredNumberScheduled", part->wanted);
    put_int(arena, status, "currentNumberScheduled", part->present);
    put_int(arena, status, "numberMisscheduled", part->misplaced);
    put_int(arena, status, "numberReady", part->ready);
    workload_put_count(arena, status, "updatedNumberScheduled", part->updated);
    workload_put_count(arena, status, "numberAvailable", part->ready);
    workload_put_count(arena, status, "numberUnavailable", part->wanted - part->ready);
    put_int(arena, status, "observedGeneration", set->generation);
}

static void free_set(SimWorkload *set) {
    U32Vec *sets = &set->workloads->daemon_sets;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < sets->count; i++) {
        if (sets->items[i] != set->slot)
            sets->items[kept++] = sets->items[i];
    }
    sets->count = kept;
    free(set->daemon_set.places);
}

const SimWorkloadKind daemon_set_kind = {KUBE_DAEMON_SET, read_set, sync_set, status_of_set, observe_pod, free_set};
