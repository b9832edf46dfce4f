// ReplicaSets of a Deployment: finding, making, numbering, and sizing them.
//
// Arithmetic of k8s.io/kubernetes pkg/controller/deployment/util (NewRSNewReplicas, GetReplicaSetProportion) and
// sync.go (scale).
#include "sim/workloads/deployment.h"
#include "sim/workloads/records.h"
#include "sim/workloads/replica_set.h"
#include "sim/workloads/template.h"
#include "sim/workloads/writing.h"

#include <stdlib.h>

// The Deployment's list of sets: their slots, in the order of being first seen.

static void forget_lost_sets(SimWorkload *deployment) {
    SimWorkloads *workloads = deployment->workloads;
    DeploymentPart *part = &deployment->deployment;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < part->sets.count; i++) {
        const SimWorkload *set = workload_at(workloads, part->sets.items[i]);

        if (set && set->kind == KUBE_REPLICA_SET && set->owner == deployment->uid)
            part->sets.items[kept++] = part->sets.items[i];
    }
    part->sets.count = kept;
}

static Value *labels_of(Value *template) {
    return value_find_text(value_find_text(template, "metadata"), "labels");
}

static bool has_template(const SimWorkload *deployment, const SimWorkload *set, Arena *arena) {
    Value template = value_copy_tree(arena, value_get_text(workload_spec(set), "template"));

    if (labels_of(&template))
        value_remove_text(labels_of(&template), "pod-template-hash");
    return value_eq(&template, value_get_text(workload_spec(deployment), "template"));
}

static SimWorkload *find_newest(SimWorkload *deployment, const Sets *sets, Arena *arena) {
    SimWorkload *known = workload_at(deployment->workloads, deployment->deployment.set);

    if (known)
        return known;
    for (uint32_t i = 0; i < sets->count; i++) {
        if (sets->items[i]->deleting || !has_template(deployment, sets->items[i], arena))
            continue;
        deployment->deployment.set = sets->items[i]->slot;
        return sets->items[i];
    }
    return NULL;
}

Sets deployment_sets(SimWorkload *deployment, Arena *arena) {
    Sets sets = {0};

    forget_lost_sets(deployment);
    sets.items = arena_array(arena, SimWorkload *, deployment->deployment.sets.count + 1);
    for (vec_each(const uint32_t, slot, &deployment->deployment.sets))
        sets.items[sets.count++] = workload_at(deployment->workloads, *slot);
    sets.newest = find_newest(deployment, &sets, arena);
    return sets;
}

// Making one.

static void put_number(Arena *arena, Value *annotations, const char *key, int64_t number) {
    put_text(arena, annotations, key, arena_printf(arena, "%lld", (long long)number));
}

static void put_sizes(const SimWorkload *deployment, Arena *arena, Value *annotations) {
    const DeploymentPart *part = &deployment->deployment;

    put_number(arena, annotations, "deployment.kubernetes.io/desired-replicas", part->replicas);
    put_number(arena, annotations, "deployment.kubernetes.io/max-replicas", part->replicas + part->max_surge);
}

static bool is_own_annotation(Slice key) {
    return slice_starts_with(key, SLICE("deployment.kubernetes.io/")) ||
           slice_eq_text(key, "kubectl.kubernetes.io/last-applied-configuration");
}

static void copy_annotations(const SimWorkload *deployment, Arena *arena, Value *annotations) {
    const Value *from = value_at(&deployment->object, "metadata", "annotations", NULL);

    for (uint32_t i = 0; from && from->kind == VALUE_MAP && i < from->map.count; i++) {
        if (!is_own_annotation(from->map.items[i].key))
            value_put(arena, annotations, from->map.items[i].key, from->map.items[i].value);
    }
}

static int64_t next_revision(const Sets *sets) {
    int64_t most = 0;

    for (uint32_t i = 0; i < sets->count; i++) {
        if (sets->items[i] != sets->newest && sets->items[i]->replica_set.revision > most)
            most = sets->items[i]->replica_set.revision;
    }
    return most + 1;
}

static Value describe_set(const SimWorkload *deployment, Arena *arena, const Sets *sets) {
    const Value *spec = workload_spec(deployment);
    Value set = value_map(), template = value_copy_tree(arena, value_get_text(spec, "template")), selector, *meta, *to;
    Slice hash = workload_template_hash(arena, &template, deployment->deployment.collisions);
    DeploymentPart part = deployment->deployment;

    value_put(arena, value_make(arena, &template, "metadata", "labels", NULL), SLICE("pod-template-hash"),
              value_string(hash));
    selector = value_copy_tree(arena, value_get_text(spec, "selector"));
    value_put(arena, value_make(arena, &selector, "matchLabels", NULL), SLICE("pod-template-hash"), value_string(hash));
    meta = put_map(arena, &set, "metadata");
    put_text(arena, meta, "name",
             arena_printf(arena, "%.*s-%.*s", SLICE_ARG(workload_name(deployment)), SLICE_ARG(hash)));
    put_text(arena, meta, "namespace", workload_ns(deployment));
    value_put(arena, meta, SLICE("labels"), *labels_of(&template));
    put_controller(arena, meta, KUBE_DEPLOYMENT, workload_name(deployment),
                   symbol_text(deployment->workloads->symbols, deployment->uid));
    copy_annotations(deployment, arena, put_map(arena, meta, "annotations"));
    put_sizes(deployment, arena, value_find_text(meta, "annotations"));
    put_number(arena, value_find_text(meta, "annotations"), "deployment.kubernetes.io/revision", next_revision(sets));
    to = put_map(arena, &set, "spec");
    put_int(arena, to, "replicas", part.recreate ? part.replicas : deployment_new_size(deployment, sets));
    put_int(arena, to, "minReadySeconds", part.min_ready_s);
    value_put(arena, to, SLICE("selector"), selector);
    value_put(arena, to, SLICE("template"), template);
    return set;
}

static void write_revision(SimWorkload *deployment, Arena *arena, int64_t revision) {
    Slice text = arena_printf(arena, "%lld", (long long)revision);
    Value patch = value_map();

    if (slice_eq(text,
                 kube_text(&deployment->object, "metadata", "annotations", "deployment.kubernetes.io/revision", NULL)))
        return;
    put_text(arena, put_map(arena, put_map(arena, &patch, "metadata"), "annotations"),
             "deployment.kubernetes.io/revision", text);
    workload_patch(deployment, KUBE_STATUS,
                   &patch); // written to the status as in the real controller, so that the generation does not change
}

// Gives a set of an earlier template, which is wanted again, the newest revision.
static void renumber(SimWorkload *set, Arena *arena, int64_t revision) {
    Value patch = value_map();

    put_number(arena, put_map(arena, put_map(arena, &patch, "metadata"), "annotations"),
               "deployment.kubernetes.io/revision", revision);
    workload_patch(set, KUBE_OBJECT, &patch);
}

SimWorkload *deployment_make_set(SimWorkload *deployment, const Sets *sets) {
    Arena *arena = &deployment->workloads->scratch;
    int64_t revision = next_revision(sets);
    KubeError error;
    Value set;

    if (!sets->newest) {
        set = describe_set(deployment, arena, sets);
        if (workload_create(deployment, KUBE_REPLICA_SET, &set, &error) == OK) {
            workload_succeeded(deployment);
        } else {
            deployment->deployment.collisions += error.reason == KUBE_REASON_ALREADY_EXISTS;
            workload_retry(deployment);
            return NULL;
        }
    } else if (sets->newest->replica_set.revision < revision) {
        renumber(sets->newest, arena, revision);
    } else {
        revision = sets->newest->replica_set.revision;
    }
    write_revision(deployment, arena, revision);
    return deployment_sets(deployment, arena).newest;
}

// Sizes.

bool deployment_scale_set(SimWorkload *deployment, SimWorkload *set, int64_t replicas) {
    const DeploymentPart *part = &deployment->deployment;
    Arena *arena = &deployment->workloads->scratch;
    Value patch = value_map();

    CHECK(set, "no ReplicaSet to scale");
    if (set->replica_set.replicas == replicas && set->replica_set.desired == part->replicas &&
        set->replica_set.most == part->replicas + part->max_surge)
        return false;
    put_sizes(deployment, arena, put_map(arena, put_map(arena, &patch, "metadata"), "annotations"));
    put_int(arena, put_map(arena, &patch, "spec"), "replicas", replicas);
    return workload_patch(set, KUBE_OBJECT, &patch) == OK;
}

int64_t deployment_new_size(const SimWorkload *deployment, const Sets *sets) {
    int64_t wanted = deployment->deployment.replicas, most = wanted + deployment->deployment.max_surge;
    int64_t present = sets->newest ? sets->newest->replica_set.replicas : 0, all = deployment_sets_replicas(sets);

    if (deployment->deployment.recreate)
        return wanted;
    if (all >= most)
        return present;
    return present + (most - all < wanted - present ? most - all : wanted - present);
}

bool deployment_is_scaling(const SimWorkload *deployment, const Sets *sets) {
    for (uint32_t i = 0; i < sets->count; i++) {
        const ReplicaSetPart *set = &sets->items[i]->replica_set;

        if (set->replicas > 0 && set->desired >= 0 && set->desired != deployment->deployment.replicas)
            return true;
    }
    return false;
}

// Share of a set in a change by `add`, of which `added` are distributed already.
static int64_t share_of(const SimWorkload *deployment, const SimWorkload *set, int64_t add, int64_t added) {
    const DeploymentPart *part = &deployment->deployment;
    int64_t replicas = set->replica_set.replicas, most = set->replica_set.most, share;

    if (replicas == 0 || add == 0 || add == added)
        return 0;
    if (part->replicas == 0)
        return -replicas;
    if (most <= 0)
        most = part->replicas;
    share = (2 * replicas * (part->replicas + part->max_surge) + most) / (2 * most) - replicas; // rounded
    if (add > 0)
        return share < add - added ? share : add - added;
    return share > add - added ? share : add - added;
}

// Order: larger first; of equal ones the newer first when growing, the older when shrinking.
static int larger_newer(const void *a, const void *b) {
    const SimWorkload *x = *(SimWorkload *const *)a, *y = *(SimWorkload *const *)b;

    if (x->replica_set.replicas != y->replica_set.replicas)
        return x->replica_set.replicas > y->replica_set.replicas ? -1 : 1;
    return x->slot > y->slot ? -1 : 1;
}

static int larger_older(const void *a, const void *b) {
    const SimWorkload *x = *(SimWorkload *const *)a, *y = *(SimWorkload *const *)b;

    if (x->replica_set.replicas != y->replica_set.replicas)
        return x->replica_set.replicas > y->replica_set.replicas ? -1 : 1;
    return x->slot < y->slot ? -1 : 1;
}

static void scale_in_proportion(SimWorkload *deployment, Sets active) {
    const DeploymentPart *part = &deployment->deployment;
    Arena *arena = &deployment->workloads->scratch;
    int64_t add = (part->replicas > 0 ? part->replicas + part->max_surge : 0) - deployment_sets_replicas(&active),
            added = 0;
    int64_t *sizes = arena_array(arena, int64_t, active.count);

    qsort(active.items, active.count, sizeof(SimWorkload *), add > 0 ? larger_newer : larger_older);
    for (uint32_t i = 0; i < active.count; i++) {
        int64_t share = share_of(deployment, active.items[i], add, added);

        sizes[i] = active.items[i]->replica_set.replicas + share;
        added += share;
    }
    sizes[0] += add - added;
    if (sizes[0] < 0)
        sizes[0] = 0;
    for (uint32_t i = 0; i < active.count; i++)
        deployment_scale_set(deployment, active.items[i], sizes[i]);
}

static Sets active_sets(const Sets *sets, Arena *arena) {
    Sets active = {.items = arena_array(arena, SimWorkload *, sets->count + 1), .newest = sets->newest};

    for (uint32_t i = 0; i < sets->count; i++) {
        if (sets->items[i]->replica_set.replicas > 0)
            active.items[active.count++] = sets->items[i];
    }
    return active;
}

static bool is_saturated(const SimWorkload *deployment, SimWorkload *set) {
    return set && set->replica_set.replicas == deployment->deployment.replicas &&
           set->replica_set.desired == deployment->deployment.replicas &&
           deployment_set_available(set) == deployment->deployment.replicas;
}

void deployment_scale(SimWorkload *deployment, const Sets *sets) {
    Sets active = active_sets(sets, &deployment->workloads->scratch);
    SimWorkload *one = active.count == 1  ? active.items[0]
                       : active.count > 1 ? NULL
                       : sets->newest     ? sets->newest
                       : sets->count      ? sets->items[sets->count - 1]
                                          : NULL;

    if (one) {
        deployment_scale_set(deployment, one, deployment->deployment.replicas);
    } else if (is_saturated(deployment, sets->newest)) {
        for (uint32_t i = 0; i < active.count; i++) {
            if (active.items[i] != sets->newest)
                deployment_scale_set(deployment, active.items[i], 0);
        }
    } else if (active.count && !deployment->deployment.recreate) {
        scale_in_proportion(deployment, active);
    }
}

uint32_t deployment_set_available(SimWorkload *set) {
    return workload_available(set, set->replica_set.min_ready_s, &set->replica_set.available);
}

int64_t deployment_sets_replicas(const Sets *sets) {
    int64_t sum = 0;

    for (uint32_t i = 0; i < sets->count; i++)
        sum += sets->items[i]->replica_set.replicas;
    return sum;
}

int64_t deployment_sets_available(const Sets *sets) {
    int64_t sum = 0;

    for (uint32_t i = 0; i < sets->count; i++)
        sum += deployment_set_available(sets->items[i]);
    return sum;
}
