// The planner's input from a snapshot: flat copies of the structs, which still point into the objects.
//
// Names that planning makes up (of an ephemeral volume's claim, of a label's value) belong to the snapshot and are
// freed with it, so that plans leave no symbols behind.
#include "base/alloc.h"
#include "model/manifest/label_keys.h"
#include "model/validate/object_rules.h"
#include "state/snapshot.h"

// Walks the objects of a kind in the order of slots.
typedef struct {
    const Chunks *chunks;
    uint32_t at;
} Walk;

// Prefetching: objects are scattered in memory, so their first lines are requested some objects ahead.
enum { AHEAD = 8, CACHE_LINE = 64, LINES = 3 };

static void fetch(const Object *object) {
    for (int i = 0; object && i < LINES; i++)
        __builtin_prefetch((const void *)((uintptr_t)object + (uintptr_t)i * CACHE_LINE));
}

static const Object *walk_next(Walk *walk) {
    while (walk->at < walk->chunks->count * CHUNK_SLOTS) {
        uint32_t at = walk->at++;
        const Chunk *chunk = walk->chunks->items[at / CHUNK_SLOTS];

        if (at % CHUNK_SLOTS + AHEAD < CHUNK_SLOTS)
            fetch(chunk->objects[at % CHUNK_SLOTS + AHEAD]);
        if (chunk->objects[at % CHUNK_SLOTS])
            return chunk->objects[at % CHUNK_SLOTS];
    }
    return NULL;
}

// The common layout of all vectors.
typedef Vec(char) AnyVec;

static void copy_kind(const Snapshot *snapshot, Arena *arena, KubeKind kind, size_t size, void *ret_vec) {
    Walk walk = {&snapshot->chunks[kind], 0};
    AnyVec *vec = ret_vec;
    const Object *object;

    vec->capacity = snapshot->counts[kind];
    vec->items = arena_alloc_array_raw(arena, size, vec->capacity);
    while ((object = walk_next(&walk)))
        memcpy(vec->items + vec->count++ * size, object_body(object), size);
}

#define COPY(snapshot, arena, kind, vec) copy_kind((snapshot), (arena), (kind), sizeof *(vec)->items, (vec))

// Whether the planner needs the pod: bound and not terminal, or waiting for a node.
static bool is_planned(const Pod *pod) {
    if (pod->node_name != NAME_EMPTY)
        return !pod_is_terminal(pod);
    return pod->unschedulable && !pod_is_terminal(pod);
}

static void copy_pods(const Snapshot *snapshot, Arena *arena, PodVec *ret_pods) {
    Walk walk = {&snapshot->chunks[KUBE_POD], 0};
    const Object *object;

    ret_pods->capacity = snapshot->counts[KUBE_POD];
    ret_pods->items = arena_array_raw(arena, Pod, ret_pods->capacity);
    while ((object = walk_next(&walk))) {
        if (is_planned(object_pod(object)))
            ret_pods->items[ret_pods->count++] = *object_pod(object);
    }
}

static void copy_claims(const Snapshot *snapshot, Arena *arena, NodeClaimVec *ret_claims) {
    Walk walk = {&snapshot->chunks[KUBE_NODE_CLAIM], 0};
    const Object *object;
    uint32_t mark = 0;

    ret_claims->capacity = snapshot->counts[KUBE_NODE_CLAIM];
    ret_claims->items = arena_array_raw(arena, NodeClaim, ret_claims->capacity);
    while ((object = walk_next(&walk))) {
        NodeClaim *claim = &ret_claims->items[ret_claims->count++];

        *claim = *(const NodeClaim *)object_body(object);
        if (mark < snapshot->mark_count && snapshot->marks[mark] == walk.at - 1) {
            claim->meta.deleting = true;
            mark++;
        }
    }
}

static void copy_owners(const Snapshot *snapshot, Arena *arena, PodOwnerVec *ret_owners) {
    static const KubeKind kinds[] = {KUBE_REPLICA_SET, KUBE_STATEFUL_SET};

    ret_owners->capacity = snapshot->counts[KUBE_REPLICA_SET] + snapshot->counts[KUBE_STATEFUL_SET];
    ret_owners->items = arena_array_raw(arena, PodOwner, ret_owners->capacity);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        Walk walk = {&snapshot->chunks[kinds[i]], 0};
        const Object *object;

        while ((object = walk_next(&walk)))
            ret_owners->items[ret_owners->count++] = *(const PodOwner *)object_body(object);
    }
}

// Members that depend on other objects.

static void settle_daemons(Cluster *cluster, Arena *arena) {
    for (vec_each(DaemonSet, daemon_set, &cluster->daemon_sets)) {
        const RuntimeClass *class = NULL;
        PodSpec *spec;

        for (vec_each(const RuntimeClass, other, &cluster->runtime_classes)) {
            if (other->meta.name == daemon_set->pod_spec->runtime_class)
                class = other;
        }
        daemon_set->pod_spec = daemon_pod_spec(arena, &cluster->symbols, daemon_set, class);
        spec = label_keys_merged(arena, daemon_set->pod_spec, &daemon_set->pod_labels);
        daemon_set->pod_spec = spec;
    }
}

static Slice complaint_of_class(Cluster *cluster, Arena *arena, const NodePool *pool) {
    const NodeClassRef *ref = &pool->template_spec.node_class;
    Slice kind = symbol_text(&cluster->symbols, ref->kind);

    for (vec_each(const EC2NodeClass, class, &cluster->ec2_node_classes)) {
        if (class->meta.name == ref->name && slice_eq_text(kind, "EC2NodeClass"))
            return node_class_complaint(arena, &cluster->symbols, &class->meta, &class->conditions, class->not_ready);
    }
    for (vec_each(const KWOKNodeClass, class, &cluster->kwok_node_classes)) {
        if (class->meta.name == ref->name && slice_eq_text(kind, "KWOKNodeClass"))
            return node_class_complaint(arena, &cluster->symbols, &class->meta, &class->conditions, SLICE(""));
    }
    return arena_printf(arena, "%.*s %.*s is not there", SLICE_ARG(kind),
                        SLICE_ARG(symbol_text(&cluster->symbols, ref->name)));
}

static void settle_pools(Cluster *cluster, Arena *arena) {
    for (vec_each(NodePool, pool, &cluster->node_pools))
        pool->not_ready = node_pool_not_ready(arena, &cluster->symbols, pool, complaint_of_class(cluster, arena, pool));
}

static void settle_claims(Cluster *cluster) {
    const StorageClass *class = default_storage_class(&cluster->symbols, &cluster->storage_classes);

    for (vec_each(PersistentVolumeClaim, claim, &cluster->volume_claims)) {
        if (class && !claim->has_storage_class && claim->volume_name == NAME_EMPTY) {
            claim->has_storage_class = true;
            claim->storage_class = class->meta.name;
        }
    }
}

// The State's symbols, with a holder that the snapshot frees.
static Symbols names_of(Snapshot *snapshot) {
    ClusterNames *names = NEW(ClusterNames);

    names->holder.table = snapshot->shared->symbols.table;
    names->next = __atomic_load_n(&snapshot->names, __ATOMIC_RELAXED);
    while (
        !__atomic_compare_exchange_n(&snapshot->names, &names->next, names, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        continue;
    return (Symbols){names->holder.table, &names->holder};
}

void snapshot_cluster(Snapshot *snapshot, Arena *arena, Cluster *ret_cluster) {
    Cluster cluster = {.symbols = names_of(snapshot)};

    copy_pods(snapshot, arena, &cluster.pods);
    copy_claims(snapshot, arena, &cluster.node_claims);
    copy_owners(snapshot, arena, &cluster.owners);
    COPY(snapshot, arena, KUBE_NODE, &cluster.nodes);
    COPY(snapshot, arena, KUBE_NODE_POOL, &cluster.node_pools);
    COPY(snapshot, arena, KUBE_EC2_NODE_CLASS, &cluster.ec2_node_classes);
    COPY(snapshot, arena, KUBE_KWOK_NODE_CLASS, &cluster.kwok_node_classes);
    COPY(snapshot, arena, KUBE_NAMESPACE, &cluster.namespaces);
    COPY(snapshot, arena, KUBE_PERSISTENT_VOLUME, &cluster.volumes);
    COPY(snapshot, arena, KUBE_PERSISTENT_VOLUME_CLAIM, &cluster.volume_claims);
    COPY(snapshot, arena, KUBE_STORAGE_CLASS, &cluster.storage_classes);
    COPY(snapshot, arena, KUBE_CSI_NODE, &cluster.csi_nodes);
    COPY(snapshot, arena, KUBE_POD_DISRUPTION_BUDGET, &cluster.disruption_budgets);
    COPY(snapshot, arena, KUBE_SERVICE, &cluster.services);
    COPY(snapshot, arena, KUBE_DAEMON_SET, &cluster.daemon_sets);
    COPY(snapshot, arena, KUBE_RUNTIME_CLASS, &cluster.runtime_classes);
    COPY(snapshot, arena, KUBE_PRIORITY_CLASS, &cluster.priority_classes);
    settle_daemons(&cluster, arena);
    settle_pools(&cluster, arena);
    settle_claims(&cluster);
    *ret_cluster = cluster;
}
