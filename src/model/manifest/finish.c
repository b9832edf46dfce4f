// Finishing a cluster: pods of workloads, defaults, and errors between objects.
#include "model/manifest/kinds.h"
#include "model/manifest/label_keys.h"
#include "model/manifest/left_out.h"
#include "model/manifest/manifest.h"
#include "model/manifest/references.h"
#include "model/manifest/workload_expand.h"
#include "model/validate/object_rules.h"

// RuntimeClasses (admission plugin RuntimeClass).

static const RuntimeClass *runtime_class_find(Cluster *cluster, const ObjectKind *kind, Symbol name) {
    const ObjectPlace *place = object_find(cluster->reading, kind, NAME_EMPTY, name);

    return place ? &cluster->runtime_classes.items[place->slot] : NULL;
}

static void apply_runtime_classes(Cluster *cluster) {
    const ObjectKind *kind = object_kind_find(SLICE("node.k8s.io"), SLICE("RuntimeClass"));
    IndexMap missing = {0};

    for (uint32_t i = 0; i < cluster->reading->specs.count; i++) {
        PodSpec *spec = cluster->reading->specs.items[i];
        const RuntimeClass *class = runtime_class_find(cluster, kind, spec->runtime_class);

        if (spec->runtime_class == NAME_EMPTY)
            continue;
        if (class) {
            pod_spec_apply_runtime_class(&cluster->arena, class, spec);
        } else if (u64_map_get(&missing, spec->runtime_class) == INDEX_NONE) {
            u64_map_put(&cluster->arena, &missing, spec->runtime_class, 0);
            cluster_warn(cluster, "RuntimeClass %.*s is not in the input: its overhead does not count",
                         SLICE_ARG(symbol_text(&cluster->symbols, spec->runtime_class)));
        }
    }
}

// DaemonSets: adds their pods' tolerations. Their RuntimeClasses were applied with all others.
static void tolerate_as_daemons(Cluster *cluster) {
    for (vec_each(DaemonSet, daemon_set, &cluster->daemon_sets))
        daemon_set->pod_spec = daemon_pod_spec(&cluster->arena, &cluster->symbols, daemon_set, NULL);
}

// Storage: claims that name no class get the default class.

static void apply_default_class(Cluster *cluster) {
    const StorageClass *class = default_storage_class(&cluster->symbols, &cluster->storage_classes);

    if (!class)
        return;
    for (vec_each(PersistentVolumeClaim, claim, &cluster->volume_claims)) {
        if (!claim->has_storage_class && claim->volume_name == NAME_EMPTY) {
            claim->has_storage_class = true;
            claim->storage_class = class->meta.name;
        }
    }
}

// Namespaces that are used but not in the input: they get the label that every namespace has.

static void add_namespaces(Cluster *cluster) {
    const ObjectKind *kind = object_kind_find(SLICE(""), SLICE("Namespace"));

    for (vec_each(const Pod, pod, &cluster->pods)) {
        ObjectMeta cause = {.file = symbol_text(&cluster->symbols, pod->file), .line = pod->line};
        Namespace namespace = {.meta = {.name = pod->ns, .file = cause.file, .line = pod->line}};

        if (!object_make(cluster, kind, NAME_EMPTY, pod->ns, cluster->namespaces.count, &cause))
            continue;
        labels_set(&cluster->arena, &namespace.meta.labels, NAME_NAMESPACE_NAME_LABEL, pod->ns);
        vec_push(&cluster->arena, &cluster->namespaces, namespace);
    }
}

// NodePools: whether they may get nodes.

// Why the pool's NodeClass cannot be used. For a class that is not in the input there is only a warning.
static Slice complaint_of_class(Cluster *cluster, const NodePool *pool) {
    const NodeClassRef *ref = &pool->template_spec.node_class;
    Slice kind_text = symbol_text(&cluster->symbols, ref->kind);
    const ObjectKind *kind = object_kind_find(symbol_text(&cluster->symbols, ref->group), kind_text);
    const ObjectPlace *place = kind ? object_find(cluster->reading, kind, NAME_EMPTY, ref->name) : NULL;

    if (place && slice_eq_text(kind_text, "EC2NodeClass")) {
        const EC2NodeClass *class = &cluster->ec2_node_classes.items[place->slot];

        return node_class_complaint(&cluster->arena, &cluster->symbols, &class->meta, &class->conditions,
                                    class->not_ready);
    }
    if (place && slice_eq_text(kind_text, "KWOKNodeClass")) {
        const KWOKNodeClass *class = &cluster->kwok_node_classes.items[place->slot];

        return node_class_complaint(&cluster->arena, &cluster->symbols, &class->meta, &class->conditions, SLICE(""));
    }
    cluster_warn(cluster, "%.*s:%u: NodePool %.*s: %.*s %.*s is not in the input; defaults are used",
                 SLICE_ARG(pool->meta.file), pool->meta.line,
                 SLICE_ARG(symbol_text(&cluster->symbols, pool->meta.name)), SLICE_ARG(kind_text),
                 SLICE_ARG(symbol_text(&cluster->symbols, ref->name)));
    return SLICE("");
}

static void judge_pools(Cluster *cluster) {
    for (vec_each(NodePool, pool, &cluster->node_pools))
        pool->not_ready =
            node_pool_not_ready(&cluster->arena, &cluster->symbols, pool, complaint_of_class(cluster, pool));
}

static void warn_of_ignored(Cluster *cluster) {
    for (vec_each(const IgnoredKind, ignored, &cluster->reading->ignored)) {
        Slice group = slice_find(ignored->api_version, '/') < 0 ? SLICE("") : ignored->api_version;
        bool one = ignored->count == 1;

        cluster_warn(cluster, "%u object%s of kind %.*s%s%.*s%s %s ignored%s%s (%s%.*s:%u)", ignored->count,
                     one ? "" : "s", SLICE_ARG(ignored->kind), ignored->reason && group.len ? " (" : "",
                     SLICE_ARG(ignored->reason ? group : SLICE("")), ignored->reason && group.len ? ")" : "",
                     one ? "is" : "are", ignored->reason ? ": " : "", ignored->reason ? ignored->reason : "",
                     one ? "" : "first at ", SLICE_ARG(ignored->file), ignored->line);
    }
}

ErrCode manifest_finish(Cluster *cluster, Err *err) {
    cluster->object_count = manifest_state(cluster)->objects.count;
    apply_runtime_classes(cluster); // before expansion: StatefulSet pods copy their spec
    TRY(workloads_expand(cluster, err));
    tolerate_as_daemons(cluster);
    label_keys_merge(cluster);
    apply_default_class(cluster);
    add_namespaces(cluster);
    judge_pools(cluster);
    references_check(cluster);
    left_out_check(cluster);
    warn_of_ignored(cluster);
    manifest_state_free(cluster);
    return OK;
}
