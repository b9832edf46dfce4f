// Rounds and time of a World.
//
// A round: alarms that are due, the reaction of every component, then delivery of events by the API server. Rounds are
// repeated until one does nothing; then the clock advances.
#include "sim/world.h"

#include "base/alloc.h"
#include "legacy/bridge/bridge.h"
#include "sim/world_alarms.h"
#include "sim/world_mirror.h"

#include <inttypes.h>

static const int64_t MONDAY_NS = 1767571200 * NS_PER_S; // 2026-01-05T00:00:00Z
static const int64_t BOOKMARKS_NS = NS_PER_MIN;
enum { ROUNDS_MAX = 10 * 1000 * 1000 }; // without the clock advancing: two components trigger each other endlessly

typedef struct {
    const ComponentTable *table;
    void *self;
} Component;

struct World {
    uint64_t seed;
    int64_t now_ns;
    Random api_random;
    ApiServer *api;
    Bridge *bridge; // in front of it: everyone in the world but scenarios sees old objects as today's
    Mirror *mirror;
    Alarms alarms;
    Arena arena;
    Vec(Component) components;
    const char *last_active; // for the error about worlds that do not settle
    void (*check)(void *context);
    void *check_context;
    WorldCounts counts;
};

// --- making

static int64_t now_of(void *self) {
    return ((const World *)self)->now_ns;
}

static Mono mono_of(void *self) {
    return (Mono){((const World *)self)->now_ns};
}

static uint64_t next_random(void *self) {
    return random_u64(&((World *)self)->api_random);
}

static void tell_components(void *context, const StateChange *change) {
    World *world = context;

    for (vec_each(Component, component, &world->components)) {
        if (component->table->observe)
            component->table->observe(component->self, change);
    }
}

World *world_new(const WorldConfig *config) {
    World *world = NEW(World);

    world->seed = config->seed;
    world->now_ns = config->start_ns ? config->start_ns : MONDAY_NS;
    world->api_random = world_random(world, "api");
    world->api = api_new(&(ApiConfig){.sources = {now_of, next_random, world}});
    world->bridge = bridge_new(api_kube(world->api), &(PresentSettings){.needs_profile = true});
    world->mirror = world_mirror_new(world_kube(world), tell_components, world);
    while (api_step(world->api)) {
    }
    return world;
}

void world_free(World *world) {
    if (!world)
        return;
    for (uint32_t i = world->components.count; i-- > 0;) {
        if (world->components.items[i].table->free)
            world->components.items[i].table->free(world->components.items[i].self);
    }
    world_mirror_free(world->mirror);
    bridge_free(world->bridge);
    api_free(world->api);
    world_alarms_free(&world->alarms);
    arena_free(&world->arena);
    free(world);
}

ApiServer *world_api(World *world) {
    return world->api;
}

Kube world_kube(World *world) {
    return bridge_kube(world->bridge);
}

const State *world_state(const World *world) {
    return world_mirror_state(world->mirror);
}

Snapshot *world_snapshot(World *world) {
    return state_snapshot(world_mirror_state(world->mirror));
}

Symbols *world_symbols(const World *world) {
    return state_symbols(world_mirror_state(world->mirror));
}

int64_t world_now_ns(const World *world) {
    return world->now_ns;
}

Clock world_clock(World *world) {
    return (Clock){now_of, mono_of, world};
}

// FNV-1a: a purpose keeps its stream whatever hash the maps use.
Random world_random(const World *world, const char *purpose) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    Random random;

    for (const char *at = purpose; *at; at++)
        hash = (hash ^ (uint8_t)*at) * UINT64_C(0x100000001b3);
    random_seed(&random, hash_combine(hash, world->seed));
    return random;
}

void world_add(World *world, const ComponentTable *table, void *self) {
    vec_push(&world->arena, &world->components, (Component){table, self});
}

Alarm world_alarm(World *world, int64_t at_ns, void (*ring)(void *context), void *context) {
    return world_alarms_set(&world->alarms, at_ns > world->now_ns ? at_ns : world->now_ns, ring, context);
}

void world_cancel(World *world, Alarm alarm) {
    world_alarms_cancel(&world->alarms, alarm);
}

// --- running

// Rings the alarms that are due. Alarms set meanwhile belong to the next round.
static bool ring_alarms(World *world) {
    uint64_t mark = world_alarms_mark(&world->alarms), before = world->counts.alarms;
    AlarmSlot alarm;

    while (world_alarms_take(&world->alarms, world->now_ns, mark, &alarm)) {
        world->counts.alarms++;
        world->last_active = "alarms";
        alarm.ring(alarm.context);
    }
    return world->counts.alarms != before;
}

static bool tell_watches(World *world) {
    bool active = false;

    while (api_step(world->api) || world_mirror_repair(world->mirror))
        active = true;
    return active;
}

static bool react(World *world) {
    bool active = false;

    for (uint32_t i = 0; i < world->components.count; i++) {
        Component component = world->components.items[i];

        if (component.table->react && component.table->react(component.self)) {
            world->last_active = component.table->name;
            active = true;
        }
    }
    return active;
}

static bool do_round(World *world) {
    bool active = tell_watches(world); // writes since the last round by the owner of the world

    active |= ring_alarms(world);
    active |= react(world);
    active |= tell_watches(world);
    if (!active)
        return false;
    world->counts.rounds++;
    world->counts.events = world_mirror_events(world->mirror);
    if (world->check)
        world->check(world->check_context);
    return true;
}

void world_on_round(World *world, void (*check)(void *context), void *context) {
    world->check = check;
    world->check_context = context;
}

void world_settle(World *world) {
    uint32_t rounds = 0;

    while (do_round(world) || world_alarms_next_ns(&world->alarms) <= world->now_ns)
        CHECK(rounds++ < ROUNDS_MAX, "the cluster does not settle at %" PRId64 " ns; last active: %s", world->now_ns,
              world->last_active);
}

// Advances the clock, and sends bookmarks to the watches once a minute.
static void move_clock(World *world, int64_t to_ns) {
    if (to_ns / BOOKMARKS_NS != world->now_ns / BOOKMARKS_NS)
        api_send_bookmarks(world->api);
    world->now_ns = to_ns;
}

void world_run(World *world, int64_t until_ns) {
    CHECK(until_ns >= world->now_ns, "time does not run backwards: it is %" PRId64 ", asked for %" PRId64,
          world->now_ns, until_ns);
    world_settle(world);
    for (int64_t next; (next = world_alarms_next_ns(&world->alarms)) <= until_ns;) {
        move_clock(world, next);
        world_settle(world);
    }
    move_clock(world, until_ns);
}

int64_t world_next_ns(const World *world) {
    return world_alarms_next_ns(&world->alarms);
}

WorldCounts world_counts(const World *world) {
    return world->counts;
}

ErrCode world_patch(World *world, const char *manager, KubeKind kind, Slice ns, Slice name, KubePart part,
                    const Value *merge_patch) {
    KubePatch patch = {.type = KUBE_PATCH_MERGE, .body = merge_patch};
    KubeError error = {0};
    ErrCode code =
        kube_patch(world_kube(world), NULL, slice_of(manager), (KubeRef){kind, ns, name}, part, &patch, NULL, &error);

    CHECK(code == OK || code == ERR_CONFLICT || code == ERR_NOT_FOUND, "%s patches %.*s %.*s/%.*s: %s", manager,
          SLICE_ARG(kube_kind(kind)->kind), SLICE_ARG(ns), SLICE_ARG(name), error.err.text);
    return code;
}
