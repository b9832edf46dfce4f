// Behaviour: reference scheduling.md 4.1.
#include "sched/input/pending.h"

#include "model/disruption_budget.h"
#include "model/pod_predicates.h"
#include "sched/input/pod_validate.h"
#include "sched/input/volumes.h"
#include "sched/input/word_limit.h"

typedef struct {
    Arena *arena;
    Arena scratch; // for one pod's volumes, reset after each
    Cluster *cluster;
    VolumeIndex *volumes;
    IndexMap spec_index; // PodSpec to index into `complaints`
    SliceVec complaints;
    IndexMap surged; // surge_key of the pods that others were started for
    PendingPodVec pods;
} Selection;

// Pods of deleting nodes run already, so most of their specs is not validated.
static Slice validate_spec(Selection *selection, const PodSpec *spec, bool leaves) {
    return leaves ? pod_moving_complaint(selection->arena, spec)
                  : pod_spec_complaint(selection->arena, &selection->cluster->symbols, spec);
}

// Pods of one workload share their spec, so each spec is validated once, for pods that leave and for others.
static Slice spec_complaint(Selection *selection, const PodSpec *spec, bool leaves) {
    uint64_t key = (uint64_t)(uintptr_t)spec | leaves; // specs are aligned
    uint32_t known = u64_map_get(&selection->spec_index, key);
    Slice complaint;

    if (known < selection->complaints.count)
        return selection->complaints.items[known];
    complaint = validate_spec(selection, spec, leaves);
    u64_map_put(selection->arena, &selection->spec_index, key, selection->complaints.count);
    vec_push(selection->arena, &selection->complaints, complaint);
    return complaint;
}

static Slice volumes_complaint(Selection *selection, const Pod *pod) {
    ArenaMark mark = arena_mark(&selection->scratch);
    Slice complaint = {0};
    PodVolumes volumes;
    Err err;

    if (pod->spec->volumes.count == 0)
        return complaint;
    if (pod_volumes_resolve(&selection->scratch, selection->volumes, pod, &volumes, &err) != OK)
        complaint = arena_slice(selection->arena, slice_of(err.text));
    arena_rewind(&selection->scratch, mark);
    return complaint;
}

static void select_pending(Selection *selection, const Pod *pod) {
    Slice spec = spec_complaint(selection, pod->spec, false);
    Slice volumes = volumes_complaint(selection, pod);
    Slice ignored = slice_is_empty(spec) ? volumes : spec;

    if (!slice_is_empty(spec) && !slice_is_empty(volumes))
        ignored = arena_printf(selection->arena, "%.*s; %.*s", SLICE_ARG(spec), SLICE_ARG(volumes));
    vec_push(selection->arena, &selection->pods, (PendingPod){.pod = pod, .ignored = ignored});
}

static Slice leaving_complaint(Selection *selection, const Pod *pod) {
    Slice complaint = spec_complaint(selection, pod->spec, true);

    return slice_is_empty(complaint) ? volumes_complaint(selection, pod) : complaint;
}

static void push_leaving(Selection *selection, const Pod *pod) {
    vec_push(selection->arena, &selection->pods,
             (PendingPod){.pod = pod, .ignored = leaving_complaint(selection, pod), .from_deleting_node = true});
}

// A pod of a namespace: one of another namespace has no say in what becomes of it.
static uint64_t surge_key(Symbol ns, Symbol uid) {
    return (uint64_t)ns << 32 | uid;
}

// Notes for which pod of its namespace, on a node that may be deleting, the pod was started: it asks for the place.
static void note_surge(Selection *selection, const Pod *pod) {
    Symbols *symbols = &selection->cluster->symbols;
    Slice uid = pod_surges_for(pod, symbols);
    Symbol symbol = uid.len && !pod->deleting ? symbol_find(symbols, uid) : INDEX_NONE;

    if (symbol != INDEX_NONE)
        u64_map_put(selection->arena, &selection->surged, surge_key(pod->ns, symbol), 1);
}

// Room for all pods of the cluster: of a whole fleet that is asked about most are selected. What is not used is not
// touched.
static void reserve(Selection *selection) {
    uint32_t capacity = selection->pods.count + selection->cluster->pods.count;
    PendingPod *items = arena_array_raw(selection->arena, PendingPod, capacity);

    if (selection->pods.count)
        memcpy(items, selection->pods.items, selection->pods.count * sizeof *items);
    selection->pods.items = items;
    selection->pods.capacity = capacity;
}

static void select_leaving(Selection *selection, const NodeViewVec *nodes, int64_t now_ns) {
    const Cluster *cluster = selection->cluster;
    BudgetIndex budgets;
    IndexMap leaving = {0};

    for (vec_each(const NodeView, view, nodes)) {
        if (view->deleting)
            u64_map_put(selection->arena, &leaving, view->name, 1);
    }
    if (leaving.count == 0)
        return;
    reserve(selection);
    budgets = budget_index_make(selection->arena, &cluster->disruption_budgets);
    for (vec_each(const Pod, pod, &cluster->pods)) {
        if (pod->node_name == NAME_EMPTY || u64_map_get(&leaving, pod->node_name) == INDEX_NONE)
            continue;
        if (pod_is_currently_reschedulable(pod, &cluster->symbols, &budgets, now_ns) &&
            u64_map_get(&selection->surged, surge_key(pod->ns, pod->uid)) == INDEX_NONE)
            push_leaving(selection, pod);
    }
}

static PendingPodVec finish(Selection *selection) {
    word_limit_pending(selection->cluster, &selection->pods);
    arena_free(&selection->scratch);
    return selection->pods;
}

PendingPodVec pending_leave(Arena *arena, Cluster *cluster, const Pod *const *pods, uint32_t count) {
    Selection selection = {.arena = arena, .cluster = cluster, .volumes = volume_index_make(arena, cluster)};

    for (uint32_t i = 0; i < count; i++) {
        if (pod_is_reschedulable(pods[i]))
            push_leaving(&selection, pods[i]);
    }
    return finish(&selection);
}

PendingPodVec pending_select(Arena *arena, Cluster *cluster, const NodeViewVec *nodes, int64_t now_ns) {
    Selection selection = {.arena = arena, .cluster = cluster, .volumes = volume_index_make(arena, cluster)};

    for (vec_each(const Pod, pod, &cluster->pods)) {
        if (pod_is_pending(pod))
            select_pending(&selection, pod);
        if (pod->annotations.count)
            note_surge(&selection, pod);
    }
    select_leaving(&selection, nodes, now_ns);
    return finish(&selection);
}
