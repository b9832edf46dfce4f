// World: the embedded cluster, with one virtual clock, one API server, and components.
//
// A component (kube-scheduler, workload controllers, kubelets, the cloud, tenon itself) observes changes through the
// mirror, reacts, and sets alarms. world_run lets all components react until none has anything to do, then advances the
// clock to the next alarm. Single-threaded and deterministic: equal seeds and inputs give equal histories.
//
// The mirror is one State that all simulated components share, fed by watches without delay: it shows what the API
// server has. tenon has a State of its own, which lags behind as watches do.
#pragma once

#include "base/random.h"
#include "engine/clock.h"
#include "sim/api/api.h"
#include "state/state.h"

typedef struct World World;

typedef struct {
    uint64_t seed;
    int64_t start_ns; // since 1970; 0: 2026-01-05T00:00:00Z, a Monday
} WorldConfig;

World *world_new(const WorldConfig *config);
void world_free(World *world);

ApiServer *world_api(World *world);
Kube world_kube(World *world);                // direct access to the API server: no latency, no faults
const State *world_state(const World *world); // the mirror
Snapshot *world_snapshot(World *world);       // of the mirror; snapshot_free
Symbols *world_symbols(const World *world);
int64_t world_now_ns(const World *world);
Clock world_clock(World *world);
// A random stream for each purpose, so that another draw for one purpose does not change the others.
Random world_random(const World *world, const char *purpose);

// --- components

typedef struct {
    const char *name;
    // Observes a change of the mirror, in the order of revisions. Only marks what is to be done. May be NULL.
    void (*observe)(void *self, const StateChange *change);
    // Does what is due; returns whether it did anything. Called until all components return false. May be NULL.
    bool (*react)(void *self);
    void (*free)(void *self);
} ComponentTable;

// Components react in the order of adding; the world owns them.
void world_add(World *world, const ComponentTable *table, void *self);

// --- alarms

typedef uint64_t Alarm; // 0: none

// Calls `ring` at that time (in the next round if it has passed), alarms of the same time in the order of setting.
Alarm world_alarm(World *world, int64_t at_ns, void (*ring)(void *context), void *context);
void world_cancel(World *world, Alarm alarm); // 0 and past alarms are allowed

// --- running

// Calls `check` after every round in which something happened, when all events were delivered: for invariants.
void world_on_round(World *world, void (*check)(void *context), void *context);

// Does everything that is due now.
void world_settle(World *world);
// Runs to that time, which the clock then shows.
void world_run(World *world, int64_t until_ns);
// The next alarm; INT64_MAX: none.
int64_t world_next_ns(const World *world);

typedef struct {
    uint64_t rounds, alarms, events;
} WorldCounts;
WorldCounts world_counts(const World *world);

// Patches for components: failures other than conflict and not-found are bugs of the simulator. Returns the code.
ErrCode world_patch(World *world, const char *manager, KubeKind kind, Slice ns, Slice name, KubePart part,
                    const Value *merge_patch);
