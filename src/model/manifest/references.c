// References to objects that the input does not contain, mostly because kubectl get was asked for too few kinds.
#include "model/manifest/references.h"

#include "model/manifest/kinds.h"
#include "model/manifest/state.h"

// Missing objects of one kind: how many different ones, and the first object that refers to one.
typedef struct {
    const char *group, *kind, *consequence;
    IndexMap seen;
    uint32_t count;
    Slice first, user;
} Missing;

typedef enum { MISSING_CLAIM, MISSING_VOLUME, MISSING_CLASS, MISSING_PRIORITY, MISSING_DAEMON_SET, MISSING_KINDS } Kind;

typedef struct {
    Cluster *cluster;
    Missing kinds[MISSING_KINDS];
} References;

static Slice print_name(Cluster *cluster, Symbol ns, Symbol name) {
    Slice text = symbol_text(&cluster->symbols, ns);

    return arena_printf(&cluster->arena, "%.*s%s%.*s", SLICE_ARG(text), text.len ? "/" : "",
                        SLICE_ARG(symbol_text(&cluster->symbols, name)));
}

// The object; or NULL, and the reference of `user` is recorded.
static const ObjectPlace *look_up(References *references, Kind which, Symbol ns, Symbol name, const Pod *pod,
                                  const ObjectMeta *user) {
    Cluster *cluster = references->cluster;
    Missing *missing = &references->kinds[which];
    const ObjectKind *kind = object_kind_find(slice_of(missing->group), slice_of(missing->kind));
    const ObjectPlace *place = object_find(cluster->reading, kind, ns, name);
    uint64_t key = (uint64_t)ns << 32 | name;

    if (place || u64_map_get(&missing->seen, key) != INDEX_NONE)
        return place;
    u64_map_put(&cluster->arena, &missing->seen, key, 0);
    if (missing->count++)
        return NULL;
    missing->first = print_name(cluster, ns, name);
    missing->user = pod ? arena_printf(&cluster->arena, "pod %.*s", SLICE_ARG(print_name(cluster, pod->ns, pod->name)))
                        : print_name(cluster, user->ns, user->name);
    return NULL;
}

static void look_at_class(References *references, const PersistentVolumeClaim *claim) {
    if (claim->volume_name != NAME_EMPTY)
        look_up(references, MISSING_VOLUME, NAME_EMPTY, claim->volume_name, NULL, &claim->meta);
    else if (claim->has_storage_class && claim->storage_class != NAME_EMPTY)
        look_up(references, MISSING_CLASS, NAME_EMPTY, claim->storage_class, NULL, &claim->meta);
}

static void look_at_volumes(References *references, const Pod *pod) {
    for (vec_each(const PodVolume, volume, &pod->spec->volumes)) {
        const ObjectPlace *place;

        if (volume->ephemeral)
            continue;
        place = look_up(references, MISSING_CLAIM, pod->ns, volume->claim_name, pod, NULL);
        if (place)
            look_at_class(references, &references->cluster->volume_claims.items[place->slot]);
    }
}

// Checks the PriorityClass. Two classes exist in every cluster, and a pod that passed admission has its priority.
static void look_at_priority(References *references, const Pod *pod) {
    Symbol class = pod->spec->priority_class;

    if (class == NAME_EMPTY || pod->priority != 0 ||
        slice_starts_with(symbol_text(&references->cluster->symbols, class), SLICE("system-")))
        return;
    look_up(references, MISSING_PRIORITY, NAME_EMPTY, class, pod, NULL);
}

static void look_at_daemon_set(References *references, const Pod *pod) {
    const OwnerReference *owner = pod_controller(pod);

    if (pod->of_daemon && owner)
        look_up(references, MISSING_DAEMON_SET, pod->ns, owner->name, pod, NULL);
}

static void warn_of_missing(Cluster *cluster, const Missing *missing) {
    bool one = missing->count == 1;

    if (!missing->count)
        return;
    cluster_warn(cluster, "%u %s%s %s named and not in the input (%s%.*s, by %.*s): %s", missing->count, missing->kind,
                 one                                                    ? ""
                 : slice_ends_with(slice_of(missing->kind), SLICE("s")) ? "es"
                                                                        : "s",
                 one ? "is" : "are", one ? "" : "first ", SLICE_ARG(missing->first), SLICE_ARG(missing->user),
                 missing->consequence);
}

void references_check(Cluster *cluster) {
    References references = {
        .cluster = cluster,
        .kinds = {
            [MISSING_CLAIM] = {.group = "",
                               .kind = "PersistentVolumeClaim",
                               .consequence = "their pods find no place, or seem to have no volume"},
            [MISSING_VOLUME] = {.group = "",
                                .kind = "PersistentVolume",
                                .consequence = "in which zones they are is not known"},
            [MISSING_CLASS] = {.group = "storage.k8s.io",
                               .kind = "StorageClass",
                               .consequence = "in which zones their volumes may be is not known"},
            [MISSING_PRIORITY] = {.group = "scheduling.k8s.io",
                                  .kind = "PriorityClass",
                                  .consequence = "their pods count as of priority 0"},
            [MISSING_DAEMON_SET] = {.group = "apps",
                                    .kind = "DaemonSet",
                                    .consequence = "what their pods take of new nodes does not count"},
        }};

    for (vec_each(const Pod, pod, &cluster->pods)) {
        if (pod_is_terminal(pod))
            continue;
        look_at_volumes(&references, pod);
        look_at_priority(&references, pod);
        look_at_daemon_set(&references, pod);
    }
    for (Kind kind = 0; kind < MISSING_KINDS; kind++)
        warn_of_missing(cluster, &references.kinds[kind]);
}
