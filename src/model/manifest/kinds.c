// The table of kinds, and how an object of each kind is read into its vector.
#include "model/manifest/kinds.h"

#include "model/manifest/workload_decode.h"

// Memory for an object: a new element of its vector, or that of an earlier object of the same identity.
static void *slot_for(ManifestReader *reader, AnyVec *vec, ObjectPlace *place, size_t size) {
    Cluster *cluster = reader->cluster;
    ObjectPlace *earlier = object_find(reader->state, place->kind, place->ns, place->name);

    if (earlier) {
        Slice ns = symbol_text(&cluster->symbols, place->ns);

        cluster_warn(cluster, "%.*s:%u: %s %.*s%s%.*s was given before at %.*s:%u; the later one is used",
                     SLICE_ARG(place->file), place->line, place->kind->kind, SLICE_ARG(ns), ns.len ? "/" : "",
                     SLICE_ARG(symbol_text(&cluster->symbols, place->name)), SLICE_ARG(earlier->file), earlier->line);
        earlier->file = place->file;
        earlier->line = place->line;
        place->slot = earlier->slot;
        return vec->items + place->slot * size;
    }
    if (vec->count == vec->capacity)
        vec->items = vec_grow(&cluster->arena, vec->items, size, vec->count, &vec->capacity);
    place->slot = vec->count++;
    object_add(cluster, place);
    return vec->items + place->slot * size;
}

static void place_object(ManifestReader *reader, const ObjectKind *kind, void *vectors, ObjectPlace *place,
                         const void *object) {
    AnyVec *vec = (AnyVec *)((char *)vectors + kind->offset);

    memcpy(slot_for(reader, vec, place, kind->size), object, kind->size);
}

// Sets the default namespace, and none for cluster-scoped objects.
static void settle_meta(ObjectMeta *meta, const ObjectPlace *place) {
    meta->ns = place->ns;
    meta->file = place->file;
    meta->line = place->line;
}

static ErrCode read_plain(ManifestReader *reader, const ObjectKind *kind, const Value *object, ObjectPlace *place,
                          Err *err) {
    void *decoded = arena_alloc(&reader->cluster->arena, kind->schema->table->struct_size);

    TRY(decode_object(&reader->decoder, object, kind->schema->table, decoded, err));
    settle_meta(decoded, place);
    if (kind->schema->complete)
        TRY(kind->schema->complete(&reader->decoder, object, decoded, err));
    place_object(reader, kind, reader->cluster, place, decoded);
    return OK;
}

static ErrCode read_pod(ManifestReader *reader, const ObjectKind *kind, const Value *object, ObjectPlace *place,
                        Err *err) {
    PodRecord record;

    TRY(pod_decode(&reader->decoder, object, &record, err));
    record.pod.ns = place->ns;
    record.pod.file = symbol_intern(reader->decoder.symbols, place->file);
    decode_enter(&reader->decoder, SLICE("spec"));
    TRY(pod_spec_intern(reader, &record.source, &record.pod.spec, err));
    decode_leave(&reader->decoder);
    record.pod.gated |= record.pod.spec->has_scheduling_gates;
    place_object(reader, kind, reader->cluster, place, &record.pod);
    return OK;
}

static ErrCode read_workload(ManifestReader *reader, const ObjectKind *kind, const Value *object, ObjectPlace *place,
                             Err *err) {
    Workload workload;

    TRY(workload_decode(reader, kind->workload, object, &workload, err));
    settle_meta(&workload.meta, place);
    place_object(reader, kind, reader->state, place, &workload);
    return OK;
}

static ErrCode read_daemon_set(ManifestReader *reader, const ObjectKind *kind, const Value *object, ObjectPlace *place,
                               Err *err) {
    Workload workload;
    DaemonSet daemon_set;

    TRY(workload_decode(reader, WORKLOAD_DAEMON_SET, object, &workload, err));
    daemon_set = (DaemonSet){workload.meta, workload.pod_labels, workload.pod_spec};
    settle_meta(&daemon_set.meta, place);
    place_object(reader, kind, reader->cluster, place, &daemon_set);
    return OK;
}

#define PLAIN(group_, version_, kind_, namespaced_, schema_, member, type)                                             \
    {                                                                                                                  \
        .group = (group_), .kind = (kind_), .version = (version_), .namespaced = (namespaced_), .read = read_plain,    \
        .schema = &(schema_), .offset = offsetof(Cluster, member), .size = sizeof(type)                                \
    }
#define WORKLOAD(group_, kind_, workload_)                                                                             \
    {                                                                                                                  \
        .group = (group_), .kind = (kind_), .namespaced = true, .makes_pods = true, .read = read_workload,             \
        .workload = (workload_), .offset = offsetof(ManifestState, workloads), .size = sizeof(Workload)                \
    }

static const ObjectKind kinds[] = {
    {.group = "",
     .kind = "Pod",
     .namespaced = true,
     .makes_pods = true,
     .read = read_pod,
     .offset = offsetof(Cluster, pods),
     .size = sizeof(Pod)},
    {.group = "apps",
     .kind = "DaemonSet",
     .namespaced = true,
     .makes_pods = true,
     .read = read_daemon_set,
     .offset = offsetof(Cluster, daemon_sets),
     .size = sizeof(DaemonSet)},
    WORKLOAD("apps", "Deployment", WORKLOAD_DEPLOYMENT),
    WORKLOAD("apps", "ReplicaSet", WORKLOAD_REPLICA_SET),
    WORKLOAD("apps", "StatefulSet", WORKLOAD_STATEFUL_SET),
    WORKLOAD("batch", "Job", WORKLOAD_JOB),
    WORKLOAD("", "ReplicationController", WORKLOAD_REPLICATION_CONTROLLER),
    PLAIN("", NULL, "Node", false, node_schema, nodes, Node),
    PLAIN("", NULL, "Namespace", false, namespace_schema, namespaces, Namespace),
    PLAIN("", NULL, "Service", true, service_schema, services, Service),
    PLAIN("", NULL, "PersistentVolume", false, volume_schema, volumes, PersistentVolume),
    PLAIN("", NULL, "PersistentVolumeClaim", true, volume_claim_schema, volume_claims, PersistentVolumeClaim),
    PLAIN("storage.k8s.io", NULL, "StorageClass", false, storage_class_schema, storage_classes, StorageClass),
    PLAIN("storage.k8s.io", NULL, "CSINode", false, csi_node_schema, csi_nodes, CSINode),
    PLAIN("policy", NULL, "PodDisruptionBudget", true, disruption_budget_schema, disruption_budgets,
          PodDisruptionBudget),
    PLAIN("node.k8s.io", NULL, "RuntimeClass", false, runtime_class_schema, runtime_classes, RuntimeClass),
    PLAIN("scheduling.k8s.io", NULL, "PriorityClass", false, priority_class_schema, priority_classes, PriorityClass),
    PLAIN("karpenter.sh", "v1", "NodePool", false, node_pool_schema, node_pools, NodePool),
    PLAIN("karpenter.sh", "v1", "NodeClaim", false, node_claim_schema, node_claims, NodeClaim),
    PLAIN("karpenter.k8s.aws", "v1", "EC2NodeClass", false, ec2_node_class_schema, ec2_node_classes, EC2NodeClass),
    PLAIN("karpenter.kwok.sh", "v1alpha1", "KWOKNodeClass", false, kwok_node_class_schema, kwok_node_classes,
          KWOKNodeClass),
};

const ObjectKind *object_kind_find(Slice group, Slice kind) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (slice_eq_text(kind, kinds[i].kind) && slice_eq_text(group, kinds[i].group))
            return &kinds[i];
    }
    return NULL;
}
