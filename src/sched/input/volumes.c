// Behaviour: reference scheduling.md 4.1 (texts) and 4.3.
#include "sched/input/volumes.h"

#include <stdlib.h>

#include "model/pod_predicates.h"
#include "sched/input/volume_topology.h"

struct VolumeIndex {
    Cluster *cluster;
    IndexMap claims;  // by namespace and name
    IndexMap volumes; // by name
    IndexMap classes; // by name
    IndexMap hosts;   // host names of nodes that stay; filled when there are local volumes
    IndexMap chosen;  // names of nodes that stay to their host names; filled when a claim names a node
    IndexMap users;   // index of a ReadWriteOncePod claim to the pod that uses it on a node
};

// The objects that a volume of a pod refers to.
typedef struct {
    Symbol claim_name;
    const PersistentVolumeClaim *claim; // NULL: missing
    const PersistentVolume *volume;     // of a bound claim, when it exists
    Symbol class_name;                  // of the claim, or NAME_EMPTY
    const StorageClass *class;          // of an unbound claim, when it exists
} Source;

// ---- The index

static uint64_t claim_hash(Symbol ns, Symbol name) {
    return hash_combine(hash_u64(ns), name);
}

static const PersistentVolumeClaim *find_claim(const VolumeIndex *index, Symbol ns, Symbol name) {
    uint64_t hash = claim_hash(ns, name);
    uint32_t cursor = 0;

    for (;;) {
        uint32_t i = index_map_next(&index->claims, hash, &cursor);
        const PersistentVolumeClaim *claim;

        if (i == INDEX_NONE)
            return NULL;
        claim = &index->cluster->volume_claims.items[i];
        if (claim->meta.ns == ns && claim->meta.name == name)
            return claim;
    }
}

static void note_hosts(Arena *arena, VolumeIndex *index) {
    for (vec_each(Node, node, &index->cluster->nodes)) {
        Symbol host = labels_get(&node->meta.labels, NAME_HOSTNAME);

        if (host != INDEX_NONE && !node->meta.deleting)
            u64_map_put(arena, &index->hosts, host, 1);
    }
}

// The node on which the volume of a claim is to be made; INDEX_NONE: not chosen yet.
static Symbol node_chosen(const PersistentVolumeClaim *claim) {
    return labels_get(&claim->meta.annotations, NAME_SELECTED_NODE);
}

// A node without a host name cannot be told from others by it, so claims hold no pods there.
static void note_chosen(Arena *arena, VolumeIndex *index) {
    for (vec_each(const Node, node, &index->cluster->nodes)) {
        Symbol host = labels_get(&node->meta.labels, NAME_HOSTNAME);

        if (!node->meta.deleting && host != INDEX_NONE)
            u64_map_put(arena, &index->chosen, node->meta.name, host);
    }
}

// The claim of a volume, if it is for one pod; else NULL. The claim of an ephemeral volume has no other users.
static const PersistentVolumeClaim *single_claim(const VolumeIndex *index, const Pod *pod, const PodVolume *volume) {
    const PersistentVolumeClaim *claim = volume->ephemeral ? NULL : find_claim(index, pod->ns, volume->claim_name);

    return claim && claim->one_pod ? claim : NULL;
}

static uint64_t claim_key(const VolumeIndex *index, const PersistentVolumeClaim *claim) {
    return (uint64_t)(claim - index->cluster->volume_claims.items);
}

static void note_user(Arena *arena, VolumeIndex *index, const Pod *pod) {
    uint32_t number = (uint32_t)(pod - index->cluster->pods.items);

    for (vec_each(const PodVolume, volume, &pod->spec->volumes)) {
        const PersistentVolumeClaim *claim = single_claim(index, pod, volume);

        if (claim)
            u64_map_put(arena, &index->users, claim_key(index, claim), number);
    }
}

// Terminal and terminating pods do not count: they release the claim.
static void note_users(Arena *arena, VolumeIndex *index) {
    for (vec_each(const Pod, pod, &index->cluster->pods)) {
        if (pod_node(pod) != NAME_EMPTY && !pod->deleting)
            note_user(arena, index, pod);
    }
}

VolumeIndex *volume_index_make(Arena *arena, Cluster *cluster) {
    VolumeIndex *index = arena_new(arena, VolumeIndex);
    bool any_local = false, any_chosen = false, any_single = false;

    index->cluster = cluster;
    for (uint32_t i = 0; i < cluster->volume_claims.count; i++) {
        const PersistentVolumeClaim *claim = &cluster->volume_claims.items[i];

        index_map_add(arena, &index->claims, claim_hash(claim->meta.ns, claim->meta.name), i);
        any_single |= claim->one_pod;
        any_chosen |= claim->volume_name == NAME_EMPTY && node_chosen(claim) != INDEX_NONE;
    }
    for (uint32_t i = 0; i < cluster->volumes.count; i++) {
        u64_map_put(arena, &index->volumes, cluster->volumes.items[i].meta.name, i);
        any_local |= cluster->volumes.items[i].local;
    }
    for (uint32_t i = 0; i < cluster->storage_classes.count; i++)
        u64_map_put(arena, &index->classes, cluster->storage_classes.items[i].meta.name, i);
    if (any_local)
        note_hosts(arena, index);
    if (any_chosen)
        note_chosen(arena, index);
    if (any_single)
        note_users(arena, index);
    return index;
}

static const PersistentVolume *find_volume(const VolumeIndex *index, Symbol name) {
    uint32_t i = u64_map_get(&index->volumes, name);

    return i == INDEX_NONE ? NULL : &index->cluster->volumes.items[i];
}

static const StorageClass *find_class(const VolumeIndex *index, Symbol name) {
    uint32_t i = u64_map_get(&index->classes, name);

    return i == INDEX_NONE ? NULL : &index->cluster->storage_classes.items[i];
}

// ---- From a volume of a pod to its objects

static Symbol claim_name_of(Arena *arena, VolumeIndex *index, const Pod *pod, const PodVolume *volume) {
    Symbols *symbols = &index->cluster->symbols;

    if (!volume->ephemeral)
        return volume->claim_name;
    return symbol_intern(symbols, arena_printf(arena, "%.*s-%.*s", SLICE_ARG(symbol_text(symbols, pod->name)),
                                               SLICE_ARG(symbol_text(symbols, volume->claim_name))));
}

// The objects of a volume as they are: the API server, or manifest_finish for manifests, has filled in the default
// class and made the claims of ephemeral volumes.
static Source find_source(Arena *arena, VolumeIndex *index, const Pod *pod, const PodVolume *volume) {
    Source source = {.claim_name = claim_name_of(arena, index, pod, volume)};

    source.claim = find_claim(index, pod->ns, source.claim_name);
    if (!source.claim)
        return source;

    source.class_name = source.claim->storage_class;
    if (source.claim->volume_name != NAME_EMPTY)
        source.volume = find_volume(index, source.claim->volume_name);
    else
        source.class = find_class(index, source.class_name);
    return source;
}

// "ns/name" of the claim.
static Slice claim_text(Arena *arena, const Symbols *symbols, const Pod *pod, const Source *source) {
    return arena_printf(arena, "%.*s/%.*s", SLICE_ARG(symbol_text(symbols, pod->ns)),
                        SLICE_ARG(symbol_text(symbols, source->claim_name)));
}

static bool is_bound(const Source *source) {
    return source->claim->volume_name != NAME_EMPTY;
}

// ---- Validity: Karpenter's checks in its order

// The names of a source's objects, for messages.
typedef struct {
    Slice ns, claim, volume, class;
} SourceTexts;

static SourceTexts texts_of(const VolumeIndex *index, const Pod *pod, const Source *source) {
    const Symbols *symbols = &index->cluster->symbols;

    return (SourceTexts){
        .ns = symbol_text(symbols, pod->ns),
        .claim = symbol_text(symbols, source->claim_name),
        .volume = source->claim ? symbol_text(symbols, source->claim->volume_name) : SLICE(""),
        .class = symbol_text(symbols, source->class_name),
    };
}

static ErrCode fail_volume(const SourceTexts *texts, const char *complaint, Err *err) {
    return err_set(err, ERR_INVALID,
                   "failed to validate pvc, %s (PersistentVolume=%.*s, PersistentVolumeClaim=%.*s/%.*s, "
                   "StorageClass=%.*s)",
                   complaint, SLICE_ARG(texts->volume), SLICE_ARG(texts->ns), SLICE_ARG(texts->claim),
                   SLICE_ARG(texts->class));
}

static ErrCode check_bound(Arena *arena, const Source *source, const SourceTexts *texts, Err *err) {
    if (!source->volume) {
        Slice missing = arena_printf(arena, "PersistentVolume \"%.*s\" not found", SLICE_ARG(texts->volume));

        return fail_volume(texts, arena_text(arena, missing), err);
    }
    if (source->volume->meta.deleting)
        return fail_volume(texts, "persistentvolume is being deleted", err);
    if (labels_get(&source->claim->meta.annotations, NAME_BIND_COMPLETED) == INDEX_NONE)
        return err_set(err, ERR_INVALID,
                       "pvc is considered unbound because it does not contain annotation (PersistentVolume=%.*s, "
                       "PersistentVolumeClaim=%.*s, annotation=pv.kubernetes.io/bind-completed)",
                       SLICE_ARG(texts->volume), SLICE_ARG(texts->claim));
    return OK;
}

static ErrCode check_unbound(const Source *source, const SourceTexts *texts, Err *err) {
    if (source->class_name == NAME_EMPTY)
        return err_set(err, ERR_INVALID,
                       "unbound pvc must define a storage class (PersistentVolumeClaim=%.*s/%.*s, StorageClass=)",
                       SLICE_ARG(texts->ns), SLICE_ARG(texts->claim));
    if (!source->class)
        return err_set(err, ERR_INVALID,
                       "failed to validate pvc, failed to get storage class, StorageClass.storage.k8s.io \"%.*s\" not "
                       "found (PersistentVolumeClaim=%.*s/%.*s, StorageClass=%.*s)",
                       SLICE_ARG(texts->class), SLICE_ARG(texts->ns), SLICE_ARG(texts->claim), SLICE_ARG(texts->class));
    if (source->class->immediate)
        return err_set(err, ERR_INVALID,
                       "failed to validate pvc, pvc with immediate volume binding mode must be bound "
                       "(PersistentVolumeClaim=%.*s/%.*s, StorageClass=%.*s)",
                       SLICE_ARG(texts->ns), SLICE_ARG(texts->claim), SLICE_ARG(texts->class));
    return OK;
}

// kube-scheduler refuses every node to a second pod of a ReadWriteOncePod claim. Karpenter does not check this.
static ErrCode check_free(const VolumeIndex *index, const Pod *pod, const PersistentVolumeClaim *claim,
                          const SourceTexts *texts, Err *err) {
    const Cluster *cluster = index->cluster;
    uint32_t user = claim->one_pod ? u64_map_get(&index->users, claim_key(index, claim)) : INDEX_NONE;

    if (user == INDEX_NONE || &cluster->pods.items[user] == pod)
        return OK;
    return err_set(err, ERR_INVALID,
                   "persistentvolumeclaim with access mode ReadWriteOncePod is in use by another pod "
                   "(PersistentVolumeClaim=%.*s/%.*s, Pod=%.*s/%.*s)",
                   SLICE_ARG(texts->ns), SLICE_ARG(texts->claim), SLICE_ARG(texts->ns),
                   SLICE_ARG(symbol_text(&cluster->symbols, cluster->pods.items[user].name)));
}

static ErrCode check_source(Arena *arena, const VolumeIndex *index, const Pod *pod, const Source *source, Err *err) {
    SourceTexts texts = texts_of(index, pod, source);
    const PersistentVolumeClaim *claim = source->claim;

    if (!claim)
        return err_set(err, ERR_INVALID,
                       "getting persistent volume claim, PersistentVolumeClaim \"%.*s\" not found "
                       "(PersistentVolumeClaim=%.*s)",
                       SLICE_ARG(texts.claim), SLICE_ARG(texts.claim));
    if (claim->meta.deleting)
        return err_set(err, ERR_INVALID, "persistentvolumeclaim is being deleted (PersistentVolumeClaim=%.*s/%.*s)",
                       SLICE_ARG(texts.ns), SLICE_ARG(texts.claim));
    if (slice_eq_text(symbol_text(&index->cluster->symbols, claim->phase), "Lost"))
        return err_set(err, ERR_INVALID,
                       "persistentvolumeclaim bound to non-existent persistentvolume (PersistentVolume=%.*s, "
                       "PersistentVolumeClaim=%.*s/%.*s)",
                       SLICE_ARG(texts.volume), SLICE_ARG(texts.ns), SLICE_ARG(texts.claim));
    TRY(check_free(index, pod, claim, &texts, err));
    return is_bound(source) ? check_bound(arena, source, &texts, err) : check_unbound(source, &texts, err);
}

// ---- Attachments

static Symbol driver_of(const Source *source) {
    if (source->volume)
        return source->volume->csi_driver;
    return source->class ? source->class->driver : NAME_EMPTY;
}

// Volumes without a CSI driver are not counted.
static void add_use(Arena *arena, VolumeIndex *index, const Pod *pod, const Source *source, VolumeUseVec *uses) {
    Symbols *symbols = &index->cluster->symbols;
    Symbol driver = driver_of(source);
    Slice claim;

    if (driver == NAME_EMPTY)
        return;
    claim = claim_text(arena, symbols, pod, source);
    vec_push(arena, uses, (VolumeUse){driver, symbol_intern(symbols, claim)});
}

static int by_use(const void *a, const void *b) {
    const VolumeUse *x = a, *y = b;

    if (x->driver != y->driver)
        return x->driver < y->driver ? -1 : 1;
    return (x->claim > y->claim) - (x->claim < y->claim);
}

static void sort_uses(VolumeUseVec *uses) {
    uint32_t count = 0;

    if (uses->count)
        qsort(uses->items, uses->count, sizeof *uses->items, by_use);
    for (uint32_t i = 0; i < uses->count; i++) {
        if (count == 0 || by_use(&uses->items[count - 1], &uses->items[i]) != 0)
            uses->items[count++] = uses->items[i];
    }
    uses->count = count;
}

// ---- Public functions

// Whether the host name of a local volume may be ignored. Karpenter always ignores it, as the volume of a deleted node
// is created again elsewhere. While the node exists, kube-scheduler does not allow the pod on any other node.
static bool may_leave_host(const VolumeIndex *index, const Pod *pod, const PersistentVolume *volume) {
    if (!volume->local || pod->node_name != NAME_EMPTY) // the pod is on a deleting node
        return volume->local;
    for (vec_each(const NodeTerm, term, &volume->node_terms)) {
        for (vec_each(const Expression, expression, &term->expressions)) {
            for (uint32_t i = 0; expression->key == NAME_HOSTNAME && i < expression->values.count; i++) {
                if (u64_map_get(&index->hosts, expression->values.items[i]) != INDEX_NONE)
                    return false;
            }
        }
    }
    return true;
}

// kube-scheduler allows a pod on no other node than the one that it chose for the volume of an unbound claim. When that
// node goes, the provisioner takes the choice back.
static ErrCode tie_to_chosen(Arena *arena, const VolumeIndex *index, const Pod *pod, const Source *source,
                             RequirementsVec *alternatives, Err *err) {
    Symbols *symbols = &index->cluster->symbols;
    Symbol node = node_chosen(source->claim);
    uint32_t host = node == INDEX_NONE ? INDEX_NONE : u64_map_get(&index->chosen, node);
    RequirementsVec tied = {0};
    Requirements only = {0};
    Requirement named;

    if (host == INDEX_NONE || pod->node_name != NAME_EMPTY) // the latter is on a deleting node
        return OK;
    named = requirement_in(arena, NAME_HOSTNAME, host);
    requirements_add(arena, symbols, &only, &named);
    vec_push(arena, &tied, only);
    return volume_alternatives_multiply(arena, symbols, alternatives, &tied, claim_text(arena, symbols, pod, source),
                                        err);
}

static ErrCode add_volume(Arena *arena, VolumeIndex *index, const Pod *pod, const PodVolume *volume,
                          PodVolumes *volumes, Err *err) {
    Symbols *symbols = &index->cluster->symbols;
    Source source = find_source(arena, index, pod, volume);
    RequirementsVec alternatives = {0};

    TRY(check_source(arena, index, pod, &source, err));
    if (source.volume)
        TRY(volume_alternatives_of_volume(arena, symbols, source.volume, may_leave_host(index, pod, source.volume),
                                          &alternatives, err));
    else
        TRY(volume_alternatives_of_class(arena, symbols, source.class, &alternatives, err));
    if (!source.volume)
        TRY(tie_to_chosen(arena, index, pod, &source, &alternatives, err));

    TRY(volume_alternatives_multiply(arena, symbols, &volumes->alternatives, &alternatives,
                                     claim_text(arena, symbols, pod, &source), err));
    add_use(arena, index, pod, &source, &volumes->uses);
    return OK;
}

ErrCode pod_volumes_resolve(Arena *arena, VolumeIndex *index, const Pod *pod, PodVolumes *ret_volumes, Err *err) {
    PodVolumes volumes = {0};

    for (vec_each(const PodVolume, volume, &pod->spec->volumes))
        TRY(add_volume(arena, index, pod, volume, &volumes, err));
    sort_uses(&volumes.uses);
    *ret_volumes = volumes;
    return OK;
}

VolumeUseVec pod_volume_uses(Arena *arena, VolumeIndex *index, const Pod *pod) {
    VolumeUseVec uses = {0};

    for (vec_each(const PodVolume, volume, &pod->spec->volumes)) {
        Source source = find_source(arena, index, pod, volume);

        add_use(arena, index, pod, &source, &uses);
    }
    sort_uses(&uses);
    return uses;
}
