// Existing pods of workloads.
//
// A live pod counts for the workload that its chain of controllers leads to. A Deployment's pods belong to a
// ReplicaSet, which may be missing from the input; then its name, "<deployment>-<hash>", tells the Deployment.
#include "model/manifest/workload_live.h"

#include "model/manifest/workload_decode.h"

uint32_t expander_find(const Expander *expander, WorkloadKind kind, Symbol ns, Symbol name) {
    const ObjectPlace *place = object_find(expander->state, expander->kinds[kind], ns, name);

    return place ? place->slot : INDEX_NONE;
}

static const OwnerReference *controller_of(const OwnerReferenceVec *owners) {
    for (vec_each(const OwnerReference, owner, owners)) {
        if (owner->controller)
            return owner;
    }
    return NULL;
}

// ReplicaSets of Deployments.

// Records a ReplicaSet of a Deployment: new pods join the one of the Deployment's revision, else the newest.
static void note_replica_set(Expander *expander, uint32_t parent, const Workload *set) {
    Expansion *expansion = &expander->expansions[parent];
    const Workload *deployment = &expander->state->workloads.items[parent];
    Symbol revision = labels_get(&deployment->meta.annotations, expander->revision);
    Symbol hash = labels_get(&set->meta.labels, NAME_POD_TEMPLATE_HASH);
    bool is_revision = revision != INDEX_NONE && labels_get(&set->meta.annotations, expander->revision) == revision;

    if (hash == INDEX_NONE)
        hash = labels_get(&set->pod_labels, NAME_POD_TEMPLATE_HASH);
    if (hash == INDEX_NONE || expansion->set_is_revision ||
        (!is_revision && expansion->set_name != NAME_EMPTY && set->meta.created_ns < expansion->set_created))
        return;
    expansion->set_name = set->meta.name;
    expansion->set_hash = hash;
    expansion->set_created = set->meta.created_ns;
    expansion->set_is_revision = is_revision;
}

static void find_parents(Expander *expander) {
    WorkloadVec *workloads = &expander->state->workloads;

    for (uint32_t i = 0; i < workloads->count; i++) {
        const Workload *set = &workloads->items[i];
        const OwnerReference *owner = controller_of(&set->meta.owners);

        expander->expansions[i].parent = INDEX_NONE;
        if (set->kind != WORKLOAD_REPLICA_SET || !owner ||
            !slice_eq_text(expander_text(expander, owner->kind), workload_kind_text(WORKLOAD_DEPLOYMENT)))
            continue;
        expander->expansions[i].parent = expander_find(expander, WORKLOAD_DEPLOYMENT, set->meta.ns, owner->name);
        if (expander->expansions[i].parent != INDEX_NONE)
            note_replica_set(expander, expander->expansions[i].parent, set);
    }
}

// Live pods.

// The Deployment in a ReplicaSet's name, "<deployment>-<hash>", when the ReplicaSet is not in the input.
static uint32_t deployment_by_set_name(Expander *expander, const Pod *pod, Symbol set_name) {
    Symbol hash = labels_get(&pod->labels, NAME_POD_TEMPLATE_HASH), name;
    Slice set = expander_text(expander, set_name), suffix;
    uint32_t at;

    if (hash == INDEX_NONE)
        return INDEX_NONE;
    suffix = expander_text(expander, hash);
    if (set.len <= suffix.len + 1 || !slice_ends_with(set, suffix) || set.ptr[set.len - suffix.len - 1] != '-')
        return INDEX_NONE;
    name = symbol_find(expander->symbols, slice_first(set, set.len - suffix.len - 1));
    if (name == INDEX_NONE)
        return INDEX_NONE;
    at = expander_find(expander, WORKLOAD_DEPLOYMENT, pod->ns, name);
    if (at != INDEX_NONE &&
        (expander->expansions[at].set_name == NAME_EMPTY ||
         (!expander->expansions[at].set_is_revision && pod->created_ns > expander->expansions[at].set_created))) {
        expander->expansions[at].set_name = set_name;
        expander->expansions[at].set_hash = hash;
        expander->expansions[at].set_created = pod->created_ns;
    }
    return at;
}

static uint32_t workload_of(Expander *expander, const Pod *pod) {
    const OwnerReference *owner = pod_controller(pod);
    uint32_t at = INDEX_NONE;
    bool is_set;

    if (!owner)
        return INDEX_NONE;
    for (WorkloadKind kind = 0; kind < WORKLOAD_DAEMON_SET; kind++) {
        if (slice_eq_text(expander_text(expander, owner->kind), workload_kind_text(kind)))
            at = expander_find(expander, kind, pod->ns, owner->name);
    }
    is_set = slice_eq_text(expander_text(expander, owner->kind), workload_kind_text(WORKLOAD_REPLICA_SET));
    if (at == INDEX_NONE && is_set)
        return deployment_by_set_name(expander, pod, owner->name);
    if (at != INDEX_NONE && expander->expansions[at].parent != INDEX_NONE)
        return expander->expansions[at].parent;
    return at;
}

// Counts the pods of workloads. A terminating pod counts for a StatefulSet, which waits before it makes another one of
// that name; other controllers replace it at once.
static void count_pods(Expander *expander) {
    for (vec_each(const Pod, pod, &expander->cluster->pods)) {
        uint32_t at = workload_of(expander, pod);
        bool keeps_place;

        if (at == INDEX_NONE)
            continue;
        keeps_place = !pod->deleting || expander->state->workloads.items[at].kind == WORKLOAD_STATEFUL_SET;
        expander->expansions[at].live += keeps_place && !pod_is_terminal(pod);
        expander->expansions[at].succeeded += pod->phase == POD_SUCCEEDED;
    }
}

void expander_count_live(Expander *expander) {
    find_parents(expander);
    count_pods(expander);
}

uint32_t expander_missing(const Expander *expander, uint32_t at) {
    const Workload *workload = &expander->state->workloads.items[at];
    const Expansion *expansion = &expander->expansions[at];
    int64_t wanted = workload->pods_wanted;

    if (expansion->parent != INDEX_NONE)
        return 0;
    if (workload->completions >= 0 && workload->kind == WORKLOAD_JOB) {
        int64_t left = workload->completions - expansion->succeeded;

        wanted = left < wanted ? left : wanted;
    }
    return wanted > expansion->live ? (uint32_t)(wanted - expansion->live) : 0;
}
