// Decoding of Values into reference-counted objects.
#include "state/object.h"

#include "base/alloc.h"
#include "model/manifest/object.h"
#include "model/pod_predicates.h"

static const Symbol *symbols_of(const Object *object) {
    return (const Symbol *)(object->links + object->link_count);
}

void object_release(Object *object) {
    Shared *shared;

    if (!object || __atomic_sub_fetch(&object->users, 1, __ATOMIC_ACQ_REL))
        return;
    shared = object->shared;
    __atomic_sub_fetch(&shared->object_bytes, object->bytes, __ATOMIC_RELAXED);
    symbols_release(shared->symbols.table, symbols_of(object), object->symbol_count);
    if (object->kind == KUBE_POD) {
        shared_spec_release(shared, object->spec);
        free(object);
    } else {
        Arena arena = {.chunk = object->chunk};

        arena_free(&arena);
    }
    shared_release(shared);
}

void state_update_free(StateUpdate *update) {
    object_release(update);
}

// Number of indexes that an object can be in (index.c).
static uint16_t links_of(KubeKind kind, uint32_t owners) {
    switch (kind) {
    case KUBE_POD:
        return (uint16_t)(1 + (owners < UINT16_MAX ? owners : UINT16_MAX - 1));
    case KUBE_NODE:
    case KUBE_NODE_CLAIM:
        return 2;
    case KUBE_VOLUME_ATTACHMENT:
    case KUBE_POD_DISRUPTION_BUDGET:
    case KUBE_PERSISTENT_VOLUME_CLAIM:
        return 1;
    default:
        return 0;
    }
}

// Fills the header, once everything else is known. Takes over the holder's symbols.
static void settle(Object *object, Shared *shared, KubeKind kind, Link *links, uint16_t link_count, size_t bytes,
                   SymbolHolder *holder) {
    object->users = 1;
    object->kind = (uint8_t)kind;
    object->shared = shared_retain(shared);
    object->links = links;
    object->link_count = link_count;
    object->bytes = (uint32_t)bytes;
    object->symbol_count = holder->count;
    for (uint16_t i = 0; i < link_count; i++)
        links[i] = (Link){INDEX_NONE, 0};
    symbol_holder_list(holder, (Symbol *)(links + link_count));
    __atomic_add_fetch(&shared->object_bytes, bytes, __ATOMIC_RELAXED);
}

// Pods.

static void *piece(char **at, const void *from, size_t bytes) {
    void *copy = *at;

    if (bytes)
        memcpy(copy, from, bytes);
    *at += bytes;
    return copy;
}

static uint8_t flags_of(const Pod *pod) {
    return (uint8_t)((pod_is_daemon(pod) ? OBJECT_DAEMON : 0) | (pod_is_mirror(pod) ? OBJECT_STATIC : 0) |
                     (pod_is_stateful(pod) ? OBJECT_STATEFUL : 0));
}

static Object *pod_pack(Shared *shared, const Pod *from, SharedSpec *spec, SymbolHolder *holder) {
    uint16_t link_count = links_of(KUBE_POD, from->owners.count);
    size_t bytes = sizeof(Object) + sizeof(Pod) + link_count * sizeof(Link) + holder->count * sizeof(Symbol) +
                   (from->labels.count + from->annotations.count) * sizeof(Label) +
                   from->owners.count * sizeof(OwnerReference);
    Object *object = alloc_raw(bytes);
    char *at = (char *)(object + 1);
    Link *links;
    Pod *pod;

    CHECK(bytes <= UINT32_MAX, "a pod of %zu bytes", bytes);
    pod = piece(&at, from, sizeof *from);
    links = (Link *)at;
    at += link_count * sizeof(Link) + holder->count * sizeof(Symbol);
    pod->labels.items = piece(&at, from->labels.items, from->labels.count * sizeof(Label));
    pod->labels.capacity = pod->labels.count;
    pod->annotations.items = piece(&at, from->annotations.items, from->annotations.count * sizeof(Label));
    pod->annotations.capacity = pod->annotations.count;
    pod->owners.items = piece(&at, from->owners.items, from->owners.count * sizeof(OwnerReference));
    pod->owners.capacity = pod->owners.count;
    pod->spec = &spec->spec;
    pod->gated |= spec->spec.has_scheduling_gates;
    settle(object, shared, KUBE_POD, links, link_count, bytes, holder);
    object->spec = spec;
    object->flags = flags_of(pod);
    return object;
}

static ErrCode decode_pod(Shared *shared, const Value *value, Object **ret_object, Err *err) {
    SymbolHolder holder = {.table = shared->symbols.table};
    Symbols symbols = {holder.table, &holder};
    Arena scratch = {0};
    PodRecord record;
    SharedSpec *spec;
    ErrCode code = pod_decode_alone(&scratch, &symbols, value, &record, err);

    if (code == OK)
        code = shared_spec_get(shared, value, &record.source, &record.pod.labels, &spec, err);
    if (code == OK)
        *ret_object = pod_pack(shared, &record.pod, spec, &holder);
    symbol_holder_free(&holder);
    arena_free(&scratch);
    return code;
}

// Kinds other than pods. They are decoded twice, the first time to find out the size.

enum { ROUNDING = 64 }; // most that an arena adds for alignment of the two parts that the first decoding lacks

static ErrCode decode_plain(Shared *shared, KubeKind kind, const Value *value, Object **ret_object, Err *err) {
    const KubeKindInfo *info = kube_kind(kind);
    SymbolHolder holder = {.table = shared->symbols.table};
    Symbols symbols = {holder.table, &holder};
    size_t size = object_decoded_size(info->group, info->kind), bytes;
    uint16_t link_count = links_of(kind, 0);
    Arena scratch = {0}, arena = {0};
    ErrCode code;

    code = object_decode(&scratch, &symbols, info->group, info->kind, value, arena_alloc(&scratch, size), err);
    bytes =
        arena_used(&scratch) + sizeof(Object) + link_count * sizeof(Link) + holder.count * sizeof(Symbol) + ROUNDING;
    arena_free(&scratch);
    if (code == OK) {
        Object *object;

        arena_reserve(&arena, bytes);
        object = arena_alloc(&arena, sizeof *object + size);
        code = object_decode(&arena, &symbols, info->group, info->kind, value, object + 1, err);
        CHECK(code == OK, "an object was decoded once and not twice");
        settle(object, shared, kind, arena_alloc(&arena, link_count * sizeof(Link) + holder.count * sizeof(Symbol)),
               link_count, bytes, &holder);
        object->chunk = arena.chunk;
        *ret_object = object;
    }
    symbol_holder_free(&holder);
    return code;
}

bool state_keeps(KubeKind kind) {
    switch (kind) {
#define X(name, type, word) case KUBE_##name:
        STATE_KINDS(X)
#undef X
        return true;
    default:
        return false;
    }
}

ErrCode state_decode(Symbols *symbols, KubeKind kind, const Value *object, StateUpdate **ret_update, Err *err) {
    Shared *shared = shared_of(symbols);

    CHECK(state_keeps(kind), "a State does not keep objects of kind %u", (unsigned)kind);
    return kind == KUBE_POD ? decode_pod(shared, object, ret_update, err)
                            : decode_plain(shared, kind, object, ret_update, err);
}
