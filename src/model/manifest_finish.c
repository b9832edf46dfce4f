// What a cluster would add once everything is there: pods of workloads, defaults, and what is wrong between objects.
#include "model/manifest.h"

#include "model/manifest_state.h"
#include "model/validate.h"

// RuntimeClasses (admission plugin RuntimeClass).

static void add_tolerations(Arena *arena, TolerationVec *tolerations, const TolerationVec *more) {
    TolerationVec all = {0};

    for (vec_each(const Toleration, toleration, tolerations))
        vec_push(arena, &all, *toleration);
    for (vec_each(const Toleration, toleration, more)) {
        bool known = false;

        for (vec_each(const Toleration, other, &all))
            known |= memcmp(other, toleration, sizeof *other) == 0;
        if (!known)
            vec_push(arena, &all, *toleration);
    }
    *tolerations = all;
}

static void apply_runtime_class(Cluster *cluster, const RuntimeClass *class, PodSpec *spec) {
    if (!spec->has_overhead) {
        resources_add(&cluster->arena, &spec->requests, &class->overhead);
        spec->has_overhead = class->overhead.count > 0;
    }
    for (uint32_t i = 0; i < class->node_selector.count; i++) {
        Label label = class->node_selector.items[i];

        if (labels_get(&spec->node_selector, label.key) == INDEX_NONE)
            labels_set(&cluster->arena, &spec->node_selector, label.key, label.value);
    }
    add_tolerations(&cluster->arena, &spec->tolerations, &class->tolerations);
}

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
            apply_runtime_class(cluster, class, spec);
        } else if (u64_map_get(&missing, spec->runtime_class) == INDEX_NONE) {
            u64_map_put(&cluster->arena, &missing, spec->runtime_class, 0);
            cluster_warn(cluster, "RuntimeClass %.*s is not in the input: its overhead does not count",
                         SLICE_ARG(symbol_text(&cluster->symbols, spec->runtime_class)));
        }
    }
}

// DaemonSets: the tolerations that their controller gives to every pod.

static void tolerate_as_daemons(Cluster *cluster) {
    static const struct {
        const char *key;
        TaintEffect effect;
        bool host_network_only;
    } added[] = {
        {"node.kubernetes.io/not-ready", EFFECT_NO_EXECUTE, false},
        {"node.kubernetes.io/unreachable", EFFECT_NO_EXECUTE, false},
        {"node.kubernetes.io/disk-pressure", EFFECT_NO_SCHEDULE, false},
        {"node.kubernetes.io/memory-pressure", EFFECT_NO_SCHEDULE, false},
        {"node.kubernetes.io/pid-pressure", EFFECT_NO_SCHEDULE, false},
        {"node.kubernetes.io/unschedulable", EFFECT_NO_SCHEDULE, false},
        {"node.kubernetes.io/network-unavailable", EFFECT_NO_SCHEDULE, true},
    };

    for (vec_each(DaemonSet, daemon_set, &cluster->daemon_sets)) {
        PodSpec *spec = arena_copy(&cluster->arena, daemon_set->pod_spec, sizeof *spec);
        TolerationVec more = {0};

        for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
            Toleration toleration = {.key = symbol_intern(&cluster->symbols, slice_of(added[i].key)),
                                     .op = TOLERATION_EXISTS,
                                     .effect = added[i].effect};

            if (!added[i].host_network_only || spec->host_network)
                vec_push(&cluster->arena, &more, toleration);
        }
        add_tolerations(&cluster->arena, &spec->tolerations, &more);
        daemon_set->pod_spec = spec;
    }
}

// Storage: claims that name no class get the default one, the newest when several are marked.

static const StorageClass *default_class(const Cluster *cluster) {
    const StorageClass *best = NULL;

    for (vec_each(const StorageClass, class, &cluster->storage_classes)) {
        if (class->is_default && (!best || class->meta.created_ns > best->meta.created_ns ||
                                  (class->meta.created_ns == best->meta.created_ns &&
                                   symbol_cmp(&cluster->symbols, class->meta.name, best->meta.name) < 0)))
            best = class;
    }
    return best;
}

static void apply_default_class(Cluster *cluster) {
    const StorageClass *class = default_class(cluster);

    if (!class)
        return;
    for (vec_each(PersistentVolumeClaim, claim, &cluster->volume_claims)) {
        if (!claim->has_storage_class && claim->volume_name == NAME_EMPTY) {
            claim->has_storage_class = true;
            claim->storage_class = class->meta.name;
        }
    }
}

// Namespaces that are used but not in the input have the label that every namespace has.

static void add_namespaces(Cluster *cluster) {
    const ObjectKind *kind = object_kind_find(SLICE(""), SLICE("Namespace"));

    for (vec_each(const Pod, pod, &cluster->pods)) {
        ObjectMeta cause = {.file = pod->file, .line = pod->line};
        Namespace namespace = {.meta = {.name = pod->ns, .file = pod->file, .line = pod->line}};

        if (!object_make(cluster, kind, NAME_EMPTY, pod->ns, cluster->namespaces.count, &cause))
            continue;
        labels_set(&cluster->arena, &namespace.meta.labels, NAME_NAMESPACE_NAME_LABEL, pod->ns);
        vec_push(&cluster->arena, &cluster->namespaces, namespace);
    }
}

// NodePools: whether they may get nodes.

// A condition Ready that is there and not True: its words.
static Slice unready_condition(Cluster *cluster, const ConditionVec *conditions) {
    const Condition *ready = condition_get(conditions, &cluster->symbols, SLICE("Ready"));
    Slice status, reason;

    if (!ready)
        return SLICE("");
    status = symbol_text(&cluster->symbols, ready->status);
    reason = symbol_text(&cluster->symbols, ready->reason);
    if (slice_eq_text(status, "True"))
        return SLICE("");
    return arena_printf(&cluster->arena, "condition Ready is %.*s%s%.*s%s%.*s", SLICE_ARG(status),
                        reason.len ? ", " : "", SLICE_ARG(reason), ready->message.len ? ": " : "",
                        SLICE_ARG(ready->message));
}

static Slice class_complaint(Cluster *cluster, const ObjectMeta *meta, const ConditionVec *conditions, Slice own) {
    Slice unready = unready_condition(cluster, conditions);

    if (meta->deleting)
        return SLICE("Node Class is Terminating");
    if (own.len || unready.len)
        return arena_printf(&cluster->arena, "node class %.*s: %.*s",
                            SLICE_ARG(symbol_text(&cluster->symbols, meta->name)), SLICE_ARG(own.len ? own : unready));
    return SLICE("");
}

// What the pool's node class has against it. A class that is not in the input is only warned of.
static Slice node_class_complaint(Cluster *cluster, const NodePool *pool) {
    const NodeClassRef *ref = &pool->template_spec.node_class;
    Slice kind_text = symbol_text(&cluster->symbols, ref->kind);
    const ObjectKind *kind = object_kind_find(symbol_text(&cluster->symbols, ref->group), kind_text);
    const ObjectPlace *place = kind ? object_find(cluster->reading, kind, NAME_EMPTY, ref->name) : NULL;

    if (place && slice_eq_text(kind_text, "EC2NodeClass")) {
        const EC2NodeClass *class = &cluster->ec2_node_classes.items[place->slot];

        return class_complaint(cluster, &class->meta, &class->conditions, class->not_ready);
    }
    if (place && slice_eq_text(kind_text, "KWOKNodeClass")) {
        const KWOKNodeClass *class = &cluster->kwok_node_classes.items[place->slot];

        return class_complaint(cluster, &class->meta, &class->conditions, SLICE(""));
    }
    cluster_warn(cluster, "%.*s:%u: NodePool %.*s: %.*s %.*s is not in the input; defaults are used",
                 SLICE_ARG(pool->meta.file), pool->meta.line,
                 SLICE_ARG(symbol_text(&cluster->symbols, pool->meta.name)), SLICE_ARG(kind_text),
                 SLICE_ARG(symbol_text(&cluster->symbols, ref->name)));
    return SLICE("");
}

static void judge_pools(Cluster *cluster) {
    for (vec_each(NodePool, pool, &cluster->node_pools)) {
        Slice of_class = node_class_complaint(cluster, pool);

        pool->not_ready = node_pool_complaint(&cluster->arena, &cluster->symbols, pool);
        if (pool->meta.deleting)
            pool->not_ready = SLICE("the NodePool is being deleted");
        if (pool->not_ready.len == 0)
            pool->not_ready = unready_condition(cluster, &pool->conditions);
        if (pool->not_ready.len == 0)
            pool->not_ready = of_class;
    }
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
    manifest_state(cluster);
    apply_runtime_classes(cluster); // before expansion: StatefulSet pods copy their spec
    TRY(workloads_expand(cluster, err));
    tolerate_as_daemons(cluster);
    label_keys_merge(cluster);
    apply_default_class(cluster);
    add_namespaces(cluster);
    judge_pools(cluster);
    warn_of_ignored(cluster);
    manifest_state_free(cluster);
    return OK;
}
