// Mirror: watches into a State.
#include "sim/world_mirror.h"

#include "base/alloc.h"

typedef struct {
    Mirror *mirror;
    KubeKind kind;
    KubeWatch *watch;
    KubeRevision told; // everything up to it is in the State
    bool ended, gone;
} MirrorWatch;

struct Mirror {
    Kube kube;
    State *state;
    void (*tell)(void *context, const StateChange *change);
    void *context;
    uint64_t events;
    uint32_t ended; // number of watches to restart
    MirrorWatch watches[KUBE_KIND_COUNT];
};

// Applies an object. The API server validated it, so one that cannot be decoded is a bug of the simulation.
static void put(Mirror *mirror, KubeKind kind, const Value *object, bool removed) {
    StateUpdate *update;
    StateChange change;
    Err err = {0};

    CHECK(state_decode(state_symbols(mirror->state), kind, object, &update, &err) == OK, "%s: %s",
          kube_kind(kind)->plural.ptr, err.text);
    mirror->events++;
    if (state_apply(mirror->state, update, removed, &change))
        mirror->tell(mirror->context, &change);
}

static bool take(void *context, const KubeEvent *event) {
    MirrorWatch *watch = context;

    if (event->type == KUBE_ENDED) {
        watch->ended = true;
        watch->gone = event->error->err.code == ERR_GONE;
        watch->mirror->ended++;
        return true;
    }
    watch->told = event->revision;
    if (event->object)
        put(watch->mirror, watch->kind, event->object, event->type == KUBE_DELETED);
    return true;
}

static ErrCode start(MirrorWatch *watch) {
    KubeWatchRequest request = {.kind = watch->kind, .revision = watch->told};

    return kube_watch(watch->mirror->kube, &request, (KubeSink){take, watch}, &watch->watch, NULL);
}

// Lists again: whether or not the mirror had everything before the history was dropped, a list is the truth.
static void list_anew(MirrorWatch *watch) {
    Mirror *mirror = watch->mirror;
    Arena arena = {0};
    KubeList list;

    CHECK(kube_list(mirror->kube, &arena, &(KubeListRequest){.kind = watch->kind}, &list, NULL) == OK);
    state_relist_begin(mirror->state, watch->kind, false);
    for (vec_each(const Value, object, &list.items))
        put(mirror, watch->kind, object, false);
    state_relist_end(mirror->state, watch->kind, list.revision, mirror->tell, mirror->context);
    watch->told = list.revision;
    arena_free(&arena);
}

Mirror *world_mirror_new(Kube kube, void (*tell)(void *context, const StateChange *change), void *context) {
    Mirror *mirror = NEW(Mirror);

    mirror->kube = kube;
    mirror->state = state_new();
    mirror->tell = tell;
    mirror->context = context;
    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        MirrorWatch *watch = &mirror->watches[kind];

        *watch = (MirrorWatch){.mirror = mirror, .kind = (KubeKind)kind};
        if (state_keeps(watch->kind))
            CHECK(start(watch) == OK);
    }
    return mirror;
}

void world_mirror_free(Mirror *mirror) {
    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (mirror->watches[kind].watch)
            kube_unwatch(mirror->kube, mirror->watches[kind].watch);
    }
    state_free(mirror->state);
    free(mirror);
}

State *world_mirror_state(const Mirror *mirror) {
    return mirror->state;
}

uint64_t world_mirror_events(const Mirror *mirror) {
    return mirror->events;
}

static void repair(MirrorWatch *watch) {
    kube_unwatch(watch->mirror->kube, watch->watch);
    watch->watch = NULL;
    watch->ended = false;
    if (watch->gone || start(watch) == ERR_GONE) {
        list_anew(watch);
        CHECK(start(watch) == OK);
    }
    watch->gone = false;
}

bool world_mirror_repair(Mirror *mirror) {
    if (!mirror->ended)
        return false;
    mirror->ended = 0;
    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (mirror->watches[kind].ended)
            repair(&mirror->watches[kind]);
    }
    return true;
}
