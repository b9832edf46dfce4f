// StatefulSets: pods with stable names and volumes, created in order or in parallel.
//
// The walk over the ordinals is that of the real controller (stateful_set_control.go): create missing pods, then delete
// surplus ones, then replace pods of old templates. Ordered sets make one step and wait. A pod is created only when its
// predecessor of the same name is gone from the API server.
#include "sim/workloads/stateful_set.h"

#include "sim/workloads/records.h"
#include "sim/workloads/replica_set.h"
#include "sim/workloads/stateful_pod.h"
#include "sim/workloads/template.h"
#include "sim/workloads/writing.h"

static void read_set(SimWorkload *set) {
    const Value *spec = workload_spec(set), *template = value_get_text(spec, "template");
    StatefulSetPart *part = &set->stateful_set;
    Slice status = kube_text(&set->object, "status", "currentRevision", NULL);

    part->replicas = read_int(spec, "replicas", 1);
    part->first = read_int(value_get_text(spec, "ordinals"), "start", 0);
    part->min_ready_s = read_int(spec, "minReadySeconds", 0);
    part->parallel = slice_eq_text(kube_text(spec, "podManagementPolicy", NULL), "Parallel");
    part->on_delete = slice_eq_text(kube_text(spec, "updateStrategy", "type", NULL), "OnDelete");
    part->revision = arena_printf(&set->arena, "%.*s-%.*s", SLICE_ARG(kube_name(&set->object)),
                                  SLICE_ARG(workload_template_hash(&set->arena, template, 0)));
    part->current_revision = status.len ? status : part->revision;
}

// The pods by their ordinals.

static bool ordinal_of(const SimWorkload *set, const Pod *pod, int64_t *ret_ordinal) {
    Slice name = symbol_text(set->workloads->symbols, pod->name), own = workload_name(set);

    return slice_starts_with(name, own) && name.len > own.len && name.ptr[own.len] == '-' &&
           slice_to_int64(slice_from(name, own.len + 1), ret_ordinal) && *ret_ordinal >= 0;
}

static Members find_members(SimWorkload *set, Arena *arena) {
    const StatefulSetPart *part = &set->stateful_set;
    Members members = {.count = (uint32_t)part->replicas};

    members.items = arena_array(arena, Handle, members.count + 1);
    for (vec_each(const Handle, handle, workload_pods(set))) {
        int64_t ordinal;

        if (!ordinal_of(set, workload_pod(set, *handle), &ordinal))
            continue;
        if (ordinal >= part->first && ordinal < part->first + part->replicas)
            members.items[ordinal - part->first] = *handle;
        else
            vec_push(arena, &members.surplus, (SurplusPod){ordinal, *handle});
    }
    return members;
}

static bool is_healthy(const Pod *pod) {
    return pod->phase == POD_RUNNING && pod->ready && !pod->deleting;
}

static bool is_available(SimWorkload *set, Handle handle) {
    int64_t since = workload_pod_note(set->workloads, handle)->ready_ns;

    return is_healthy(workload_pod(set, handle)) &&
           since + set->stateful_set.min_ready_s * NS_PER_S <= workload_now(set);
}

static Slice revision_of(const SimWorkload *set, const Pod *pod) {
    Symbols *symbols = set->workloads->symbols;
    Symbol value = labels_get(&pod->labels, symbol_intern(symbols, SLICE("controller-revision-hash")));

    return value == INDEX_NONE ? SLICE("") : symbol_text(symbols, value);
}

// Creates a missing pod. False: an ordered set waits here.
static bool make_member(SimWorkload *set, int64_t ordinal, Handle handle) {
    const Pod *pod = workload_pod(set, handle);

    if (!pod) {
        stateful_set_create_pod(set, ordinal);
        return set->stateful_set.parallel;
    }
    if (pod_is_terminal(pod)) {
        workload_delete_pod(set, handle);
        return set->stateful_set.parallel;
    }
    return set->stateful_set.parallel || is_available(set, handle);
}

static bool make_members(SimWorkload *set, const Members *members) {
    for (uint32_t i = 0; i < members->count; i++) {
        if (!make_member(set, set->stateful_set.first + i, members->items[i]))
            return false;
    }
    return true;
}

// The surplus pod with the highest ordinal.
static const SurplusPod *last_surplus(const Members *members, int64_t below) {
    const SurplusPod *last = NULL;

    for (vec_each(const SurplusPod, pod, &members->surplus)) {
        if (pod->ordinal < below && (!last || pod->ordinal > last->ordinal))
            last = pod;
    }
    return last;
}

static bool take_surplus(SimWorkload *set, const Members *members) {
    const SurplusPod *pod = last_surplus(members, INT64_MAX);

    if (!set->stateful_set.parallel) {
        if (pod)
            workload_delete_pod(set, pod->handle);
        return !pod;
    }
    for (; pod; pod = last_surplus(members, pod->ordinal))
        workload_delete_pod(set, pod->handle);
    return true;
}

// Replaces one pod of an old template at a time, from the last ordinal down, and only if those above are healthy.
static void replace_old(SimWorkload *set, const Members *members) {
    for (uint32_t i = members->count; i-- > 0 && !set->stateful_set.on_delete;) {
        const Pod *pod = workload_pod(set, members->items[i]);

        if (!pod)
            return;
        if (!pod->deleting && !slice_eq(revision_of(set, pod), set->stateful_set.revision)) {
            workload_delete_pod(set, members->items[i]);
            return;
        }
        if (!is_available(set, members->items[i]))
            return;
    }
}

static void sync_set(SimWorkload *set) {
    Members members = find_members(set, &set->workloads->scratch);

    workload_available(set, set->stateful_set.min_ready_s, &set->stateful_set.available);
    if (!set->deleting && !workload_is_waiting(set)) {
        if (make_members(set, &members) && take_surplus(set, &members))
            replace_old(set, &members);
    }
    workload_write_status(set);
}

// Status.

static void status_of_set(SimWorkload *set, Arena *arena, Value *status) {
    StatefulSetPart *part = &set->stateful_set;
    int64_t present = 0, ready = 0, available = 0, current = 0, updated = 0;
    Slice before = part->current_revision;

    for (vec_each(const Handle, handle, workload_pods(set))) {
        const Pod *pod = workload_pod(set, *handle);

        present++;
        ready += is_healthy(pod);
        available += is_available(set, *handle);
        current += !pod->deleting && slice_eq(revision_of(set, pod), before);
        updated += !pod->deleting && slice_eq(revision_of(set, pod), part->revision);
    }
    if (updated == part->replicas && ready == part->replicas && present == part->replicas) {
        before = part->revision;
        current = updated;
    }
    put_int(arena, status, "observedGeneration", set->generation);
    put_int(arena, status, "replicas", present);
    workload_put_count(arena, status, "readyReplicas", ready);
    put_int(arena, status, "availableReplicas", available);
    workload_put_count(arena, status, "currentReplicas", current);
    workload_put_count(arena, status, "updatedReplicas", updated);
    put_text(arena, status, "currentRevision", before);
    put_text(arena, status, "updateRevision", part->revision);
}

static void free_set(SimWorkload *set) {
    world_cancel(set->workloads->world, set->stateful_set.available);
}

const SimWorkloadKind stateful_set_kind = {KUBE_STATEFUL_SET, read_set, sync_set, status_of_set, NULL, free_set};
