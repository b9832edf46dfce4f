// Hashing the events of all kinds.
#include "sim/world_digest.h"

#include "base/alloc.h"

typedef struct {
    WorldDigest *digest;
    KubeKind kind;
    KubeWatch *watch;
    KubeRevision told;
    bool ended;
} DigestWatch;

struct WorldDigest {
    World *world;
    uint64_t hash, events;
    bool any_ended;
    DigestWatch watches[KUBE_KIND_COUNT];
};

static uint64_t hash_value(uint64_t hash, const Value *value) {
    hash = hash_combine(hash, value->kind);
    switch (value->kind) {
    case VALUE_NULL:
        break;
    case VALUE_BOOL:
        hash = hash_combine(hash, value->boolean);
        break;
    case VALUE_NUMBER:
    case VALUE_STRING:
        hash = hash_combine(hash, slice_hash(value->text));
        break;
    case VALUE_LIST:
        for (vec_each(const Value, element, &value->list))
            hash = hash_value(hash, element);
        break;
    case VALUE_MAP:
        for (vec_each(const ValueMember, member, &value->map))
            hash = hash_value(hash_combine(hash, slice_hash(member->key)), &member->value);
        break;
    }
    return hash;
}

static bool take(void *context, const KubeEvent *event) {
    DigestWatch *watch = context;
    WorldDigest *digest = watch->digest;

    if (event->type == KUBE_ENDED) {
        watch->ended = digest->any_ended = true;
        return true;
    }
    watch->told = event->revision;
    if (!event->object)
        return true;
    digest->events++;
    digest->hash = hash_combine(digest->hash, (uint64_t)event->kind << 8 | event->type);
    digest->hash = hash_value(hash_combine(digest->hash, event->revision), event->object);
    return true;
}

// Restarts a watch after faults of the API server. With a dropped revision all objects are added again: the same in
// both runs.
static void start(DigestWatch *watch) {
    KubeWatchRequest request = {.kind = watch->kind, .revision = watch->told};
    KubeSink sink = {take, watch};
    Kube kube = world_kube(watch->digest->world);

    if (watch->watch)
        kube_unwatch(kube, watch->watch);
    watch->ended = false;
    if (kube_watch(kube, &request, sink, &watch->watch, NULL) == OK)
        return;
    request.revision = 0;
    CHECK(kube_watch(kube, &request, sink, &watch->watch, NULL) == OK);
}

static bool digest_react(void *self) {
    WorldDigest *digest = self;

    if (!digest->any_ended)
        return false;
    digest->any_ended = false;
    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (digest->watches[kind].ended)
            start(&digest->watches[kind]);
    }
    return true;
}

static void digest_free(void *self) {
    WorldDigest *digest = self;

    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++)
        kube_unwatch(world_kube(digest->world), digest->watches[kind].watch);
    free(digest);
}

WorldDigest *world_digest_new(World *world) {
    static const ComponentTable table = {"digest", NULL, digest_react, digest_free};
    WorldDigest *digest = NEW(WorldDigest);

    digest->world = world;
    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        digest->watches[kind] = (DigestWatch){.digest = digest, .kind = (KubeKind)kind};
        start(&digest->watches[kind]);
    }
    world_add(world, &table, digest);
    return digest;
}

uint64_t world_digest(const WorldDigest *digest) {
    return digest->hash;
}

uint64_t world_digest_events(const WorldDigest *digest) {
    return digest->events;
}
