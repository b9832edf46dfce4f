// Records of workloads: lookup by uid or slot, creation and removal by watch events.
#include "sim/workloads/records.h"

#include "base/alloc.h"

#include <stdlib.h>

const SimWorkloadKind *const workload_kinds[WORKLOAD_KINDS] = {&deployment_kind, &replica_set_kind, &stateful_set_kind,
                                                               &daemon_set_kind, &job_kind};

const SimWorkloadKind *workload_kind(KubeKind kind) {
    for (size_t i = 0; i < WORKLOAD_KINDS; i++) {
        if (workload_kinds[i]->kind == kind)
            return workload_kinds[i];
    }
    CHECK(false, "kind %u is no workload", (unsigned)kind);
    return NULL;
}

SimWorkload *workload_at(SimWorkloads *workloads, uint32_t slot) {
    return slot < workloads->slots.count ? workloads->slots.items[slot] : NULL;
}

SimWorkload *workload_find(SimWorkloads *workloads, Symbol uid) {
    return workload_at(workloads, u64_map_get(&workloads->by_uid, uid));
}

void workload_due(SimWorkload *workload) {
    if (workload->due)
        return;
    workload->due = true;
    vec_push(&workload->workloads->arena, &workload->workloads->due, workload->slot);
}

void workload_owner_due(SimWorkload *workload) {
    SimWorkload *owner = workload->owner ? workload_find(workload->workloads, workload->owner) : NULL;

    if (owner)
        workload_due(owner);
}

PodNote *workload_pod_note(SimWorkloads *workloads, Handle pod) {
    if (pod.index >= workloads->note_capacity) {
        uint32_t before = workloads->note_capacity;

        GROW(workloads->notes, workloads->note_capacity, pod.index + 1);
        for (uint32_t i = before; i < workloads->note_capacity; i++)
            workloads->notes[i] = (PodNote){.place = SLOT_NONE};
    }
    return &workloads->notes[pod.index];
}

bool sim_pod_is_active(const Pod *pod) {
    return !pod->deleting && !pod_is_terminal(pod);
}

void workload_count_pod(PodCounts *counts, const Pod *pod, int sign) {
    uint32_t one = (uint32_t)sign; // wraps to −1

    if (pod->phase == POD_SUCCEEDED)
        counts->succeeded += one;
    else if (pod->phase == POD_FAILED)
        counts->failed += one;
    else if (pod->deleting)
        counts->terminating += one;
    else
        counts->active += one;
    if (sim_pod_is_active(pod) && pod->ready)
        counts->ready += one;
}

SimWorkload *workload_of_pod(SimWorkloads *workloads, const Pod *pod) {
    const OwnerReference *owner = pod ? pod_controller(pod) : NULL;

    return owner ? workload_find(workloads, owner->uid) : NULL;
}

static void count_present_pods(SimWorkload *workload) {
    const HandleVec *pods = workload_pods(workload);

    for (vec_each(const Handle, handle, pods)) {
        const Pod *pod = workload_pod(workload, *handle);

        if (workload_of_pod(workload->workloads, pod) == workload)
            workload_count_pod(&workload->pods, pod, 1);
    }
}

static Symbol controller_uid(Symbols *symbols, const Value *object) {
    const ValueList *owners = read_list(value_get_text(object, "metadata"), "ownerReferences");

    for (vec_each(const Value, owner, owners)) {
        if (read_bool(owner, "controller"))
            return symbol_intern(symbols, kube_text(owner, "uid", NULL));
    }
    return SYMBOL_EMPTY;
}

// Connects a ReplicaSet with its Deployment, whichever is seen first.
static void join_deployment(SimWorkload *set) {
    SimWorkloads *workloads = set->workloads;
    SimWorkload *owner = set->owner ? workload_find(workloads, set->owner) : NULL;

    if (owner && owner->kind == KUBE_DEPLOYMENT)
        deployment_note_set(owner, set);
    else if (set->owner)
        vec_push(&workloads->arena, &workloads->ownerless_sets, set->slot);
}

static void find_sets(SimWorkload *deployment) {
    SimWorkloads *workloads = deployment->workloads;
    U32Vec waiting = workloads->ownerless_sets;

    workloads->ownerless_sets = (U32Vec){0};
    for (vec_each(const uint32_t, slot, &waiting)) {
        SimWorkload *set = workload_at(workloads, *slot);

        if (set)
            join_deployment(set);
    }
}

static SimWorkload *add_record(SimWorkloads *workloads, KubeKind kind, const Value *object) {
    SimWorkload *workload = NEW(SimWorkload);

    workload->workloads = workloads;
    workload->slot = workloads->slots.count;
    workload->kind = kind;
    workload->ns = symbol_intern(workloads->symbols, kube_namespace(object));
    workload->name = symbol_intern(workloads->symbols, kube_name(object));
    workload->uid = symbol_intern(workloads->symbols, kube_uid(object));
    workload->created_ns = read_time(value_get_text(object, "metadata"), "creationTimestamp");
    vec_push(&workloads->arena, &workloads->slots, workload);
    if (kind == KUBE_DAEMON_SET)
        vec_push(&workloads->arena, &workloads->daemon_sets, workload->slot);
    u64_map_put(&workloads->arena, &workloads->by_uid, workload->uid, workload->slot);
    count_present_pods(workload);
    if (kind == KUBE_DEPLOYMENT)
        find_sets(workload);
    return workload;
}

void workload_drop(SimWorkload *workload) {
    SimWorkloads *workloads = workload->workloads;
    Alarm alarms[] = {workload->retry, workload->status_alarm};

    for (size_t i = 0; i < sizeof alarms / sizeof *alarms; i++)
        world_cancel(workloads->world, alarms[i]);
    if (workload_kind(workload->kind)->free)
        workload_kind(workload->kind)->free(workload);
    workloads->slots.items[workload->slot] = NULL;
    arena_free(&workload->arena);
    free(workload);
}

void workload_take(SimWorkloads *workloads, KubeKind kind, const Value *object, bool removed) {
    SimWorkload *workload = workload_find(workloads, symbol_intern(workloads->symbols, kube_uid(object)));
    KubeRevision revision = kube_revision(object);

    if (removed) {
        if (!workload)
            return;
        workload_owner_due(workload);
        workload_drop(workload);
        return;
    }
    if (!workload)
        workload = add_record(workloads, kind, object);
    else if (revision <= workload->revision)
        return;
    arena_free(&workload->arena);
    workload->arena = (Arena){0};
    workload->object = value_copy(&workload->arena, object);
    workload->revision = revision;
    workload->generation = kube_generation(object);
    workload->deleting = kube_is_deleting(object);
    workload->owner = controller_uid(workloads->symbols, object);
    if (kind == KUBE_REPLICA_SET)
        join_deployment(workload);
    workload_kind(kind)->read(workload);
    workload_due(workload);
    workload_owner_due(workload);
}

const HandleVec *workload_pods(const SimWorkload *workload) {
    return state_pods_of_owner(workload->workloads->state, workload->uid);
}

const Pod *workload_pod(const SimWorkload *workload, Handle pod) {
    return state_pod(workload->workloads->state, pod);
}

void deployment_note_set(SimWorkload *deployment, const SimWorkload *set) {
    DeploymentPart *part = &deployment->deployment;

    for (vec_each(const uint32_t, there, &part->sets)) {
        if (*there == set->slot)
            return;
    }
    vec_push(&deployment->workloads->arena, &part->sets, set->slot);
}
