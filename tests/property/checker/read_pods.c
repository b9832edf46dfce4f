// Pods, and the pods that workloads stand for.
//
// A workload's pods are named "<workload>-<i>" from 0. A workload is not expanded if the input has pods that it (or a
// ReplicaSet of it) controls: then the input is a dump of a cluster, not what a user applies.
#include "checker/read.h"

#include <stdlib.h>

static bool is_owner_kind(const Value *metadata, const char *version, const char *kind) {
    const Value *list = judge_read_list(metadata, "ownerReferences");

    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        const Value *item = &list->list.items[i];

        if (slice_eq_text(judge_read_text(item, "apiVersion"), version) &&
            slice_eq_text(judge_read_text(item, "kind"), kind))
            return true;
    }
    return false;
}

static Slice namespace_of(const Value *metadata) {
    Slice ns = judge_read_text(metadata, "namespace");

    return ns.len ? ns : SLICE("default");
}

// Karpenter's do-not-disrupt annotation: "true", or a positive duration, which counts as active since the checker has
// no clock.
static bool is_do_not_disrupt(const Value *metadata) {
    const Value *annotations = value_get_text(metadata, "annotations");
    Slice text = judge_read_text(annotations, "karpenter.sh/do-not-disrupt");

    return slice_eq_text(text, "true") || (text.len && text.ptr[0] >= '1' && text.ptr[0] <= '9');
}

static void read_pod_state(World *world, const Value *object, Pod *pod) {
    const Value *metadata = value_get_text(object, "metadata"), *spec = value_get_text(object, "spec");
    const Value *status = value_get_text(object, "status");
    Slice phase = judge_read_text(status, "phase"), condition, reason;

    pod->node = judge_read_symbol(world, spec, "nodeName");
    pod->is_terminal = slice_eq_text(phase, "Succeeded") || slice_eq_text(phase, "Failed");
    pod->is_deleting = judge_read_has(metadata, "deletionTimestamp");
    pod->is_mirror = is_owner_kind(metadata, "v1", "Node");
    pod->is_stateful = is_owner_kind(metadata, "apps/v1", "StatefulSet");
    pod->is_ready = judge_read_condition(status, "Ready", &condition, &reason) && slice_eq_text(condition, "True");
    pod->do_not_disrupt = is_do_not_disrupt(metadata);
    pod->has_foreign_state = judge_read_text(status, "nominatedNodeName").len > 0;
    if (judge_read_condition(status, "PodScheduled", &condition, &reason) && !slice_eq_text(reason, "Unschedulable") &&
        pod->node == SYMBOL_EMPTY)
        pod->has_foreign_state = true;
    if (is_owner_kind(metadata, "apps/v1", "DaemonSet")) {
        const Value *list = judge_read_list(metadata, "ownerReferences");

        for (uint32_t i = 0; i < judge_read_count(list); i++) {
            if (slice_eq_text(judge_read_text(&list->list.items[i], "kind"), "DaemonSet"))
                pod->daemon_set =
                    judge_read_namespaced(world, namespace_of(metadata), judge_read_text(&list->list.items[i], "name"));
        }
    }
}

static bool has_ephemeral_volumes(const Value *spec) {
    const Value *list = judge_read_list(spec, "volumes");

    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        if (judge_read_has(&list->list.items[i], "ephemeral"))
            return true;
    }
    return false;
}

// Adds a pod. `templates`: volumeClaimTemplates of its StatefulSet when it was expanded from one.
static ErrCode add_pod(World *world, const Objects *objects, Slice ns, Slice name, const Value *metadata,
                       const Value *object, const Value *templates, Err *err) {
    const Value *spec = value_get_text(object, "spec"), *status = value_get_text(object, "status");
    Pod pod = {.name = judge_read_namespaced(world, ns, name)};
    const PodClass *class;

    if (!spec || spec->kind != VALUE_MAP)
        return err_set(err, ERR_INVALID, "pod %.*s has no spec", SLICE_ARG(name));
    if (judge_find_pod(world, pod.name) != INDEX_NONE)
        return err_set(err, ERR_INVALID, "pod %.*s occurs twice", SLICE_ARG(judge_text(world, pod.name)));
    TRY(judge_read_pod_class(world, ns, has_ephemeral_volumes(spec) || templates ? name : (Slice){0}, metadata, spec,
                             status, &pod.class_index, err));
    read_pod_state(world, object, &pod);
    class = judge_class(world, &pod);
    pod.is_pending = pod.node == SYMBOL_EMPTY && !pod.has_foreign_state && !class->is_gated && !pod.is_terminal &&
                     !pod.is_deleting && !pod.is_mirror && pod.daemon_set == SYMBOL_EMPTY;
    pod.ignored = class->has_resource_claims ? IGNORED_YES : judge_read_ignored(world, spec);
    judge_read_volumes(world, objects, &pod, ns, name, spec, templates);
    u64_map_put(world->arena, &world->pod_index, pod.name, world->pods.count);
    vec_push(world->arena, &world->pods, pod);
    return OK;
}

// Labels of one pod of a workload: the template's, and what its controller adds.
static Value pod_metadata(World *world, const Value *workload, const Value *template, Slice name, int64_t index) {
    const Value *labels = value_at(template, "metadata", "labels", NULL);
    Slice kind = judge_read_text(workload, "kind"),
          owner = judge_read_text(value_get_text(workload, "metadata"), "name");
    Value metadata = value_map(), *all = value_put(world->arena, &metadata, SLICE("labels"), value_map());

    for (uint32_t i = 0; labels && labels->kind == VALUE_MAP && i < labels->map.count; i++)
        value_put(world->arena, all, labels->map.items[i].key, labels->map.items[i].value);
    if (slice_eq_text(kind, "Deployment"))
        value_put(world->arena, all, SLICE("pod-template-hash"), value_string(owner));
    if (slice_eq_text(kind, "Job")) {
        value_put(world->arena, all, SLICE("job-name"), value_string(owner));
        value_put(world->arena, all, SLICE("batch.kubernetes.io/job-name"), value_string(owner));
    }
    if (slice_eq_text(kind, "StatefulSet")) {
        value_put(world->arena, all, SLICE("statefulset.kubernetes.io/pod-name"), value_string(name));
        value_put(world->arena, all, SLICE("apps.kubernetes.io/pod-index"),
                  value_string(arena_printf(world->arena, "%lld", (long long)index)));
    }
    return metadata;
}

static int64_t replicas_of(const Value *workload) {
    const Value *spec = value_get_text(workload, "spec");
    int64_t parallelism = judge_read_int(spec, "parallelism", 1);

    if (!slice_eq_text(judge_read_text(workload, "kind"), "Job"))
        return judge_read_int(spec, "replicas", 1);
    return judge_read_has(spec, "completions") && judge_read_int(spec, "completions", 1) < parallelism
               ? judge_read_int(spec, "completions", 1)
               : parallelism;
}

static ErrCode expand_workload(World *world, const Objects *objects, const Value *workload, Err *err) {
    const Value *metadata = value_get_text(workload, "metadata"), *spec = value_get_text(workload, "spec");
    const Value *template = value_get_text(spec, "template");
    Slice ns = namespace_of(metadata), name = judge_read_text(metadata, "name");

    if (!template)
        return err_set(err, ERR_INVALID, "workload %.*s has no template", SLICE_ARG(name));
    for (int64_t i = 0; i < replicas_of(workload); i++) {
        Slice pod_name = arena_printf(world->arena, "%.*s-%lld", SLICE_ARG(name), (long long)i);
        Value pod_meta = pod_metadata(world, workload, template, pod_name, i);

        TRY(add_pod(world, objects, ns, pod_name, &pod_meta, template, judge_read_list(spec, "volumeClaimTemplates"),
                    err));
        if (slice_eq_text(judge_read_text(workload, "kind"), "StatefulSet"))
            vec_last(&world->pods)->is_stateful = true;
    }
    return OK;
}

// Whether a controller reference names the workload, or a ReplicaSet "<workload>-<hash>" of a Deployment.
static bool controls(const Value *workload, const Value *object) {
    const Value *metadata = value_get_text(object, "metadata"), *owner = judge_read_controller(metadata);
    const Value *own = value_get_text(workload, "metadata");
    Slice name = judge_read_text(own, "name"), owner_name = judge_read_text(owner, "name"),
          kind = judge_read_text(workload, "kind");

    if (!owner || !slice_eq(namespace_of(metadata), namespace_of(own)))
        return false;
    if (slice_eq(judge_read_text(owner, "kind"), kind))
        return slice_eq(owner_name, name);
    return slice_eq_text(kind, "Deployment") && slice_eq_text(judge_read_text(owner, "kind"), "ReplicaSet") &&
           slice_starts_with(owner_name, name) && owner_name.len > name.len && owner_name.ptr[name.len] == '-' &&
           slice_find(slice_from(owner_name, name.len + 1), '-') < 0;
}

static bool is_present_already(const Objects *objects, const Value *workload) {
    if (judge_read_controller(value_get_text(workload, "metadata")))
        return true; // a ReplicaSet of a Deployment
    for (uint32_t i = 0; i < objects->pods.count; i++) {
        if (controls(workload, objects->pods.items[i]))
            return true;
    }
    return false;
}

ErrCode judge_read_pods(World *world, const Objects *objects, Err *err) {
    for (uint32_t i = 0; i < objects->pods.count; i++) {
        const Value *object = objects->pods.items[i], *metadata = value_get_text(object, "metadata");

        TRY(add_pod(world, objects, namespace_of(metadata), judge_read_text(metadata, "name"), metadata, object, NULL,
                    err));
    }
    for (uint32_t i = 0; i < objects->workloads.count; i++) {
        if (!is_present_already(objects, objects->workloads.items[i]))
            TRY(expand_workload(world, objects, objects->workloads.items[i], err));
    }
    return OK;
}
