// The embedded cluster as a whole: one virtual clock, one API server, and components that live on it.
//
// A component (kube-scheduler, workload controllers, kubelets, the cloud, tenon itself) is told of changes through the
// mirror, reacts, and sets alarms. world_run lets everybody react until nobody has anything to do, then moves the clock
// to the next alarm. Single-threaded and deterministic: equal seed and equal input give the same history.
//
// The mirror is one State that all simulated components share, fed by watches that are never behind: it shows what the
// API server holds. tenon has a State of its own, behind as watches are.
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
Kube world_kube(World *world);                // straight to the API server: no latency, no faults
const State *world_state(const World *world); // the mirror
Snapshot *world_snapshot(World *world);       // of the mirror; snapshot_free
Symbols *world_symbols(const World *world);
int64_t world_now_ns(const World *world);
Clock world_clock(World *world);
// A stream of random numbers of its own for each purpose, so that one more draw here changes nothing there.
Random world_random(const World *world, const char *purpose);

// --- components

typedef struct {
    const char *name;
    // A change of the mirror, in the order of revisions. Only notes what is to be done. May be NULL.
    void (*observe)(void *self, const StateChange *change);
    // Does what is due; whether it did anything. Called until all say no. May be NULL.
    bool (*react)(void *self);
    void (*free)(void *self);
} ComponentTable;

// Components react in the order they were added; the world owns them.
void world_add(World *world, const ComponentTable *table, void *self);

// --- alarms

typedef uint64_t Alarm; // 0: none

// Calls `ring` at that time (at once in the next round when it has passed), alarms of one time in the order of setting.
Alarm world_alarm(World *world, int64_t at_ns, void (*ring)(void *context), void *context);
void world_cancel(World *world, Alarm alarm); // 0 and rung ones are allowed

// --- running

// Called after every round in which something happened, when all watches were told: the place for invariants.
void world_on_round(World *world, void (*check)(void *context), void *context);

// Everything that is due at the present time.
void world_settle(World *world);
// On to that time. The clock stands there afterwards.
void world_run(World *world, int64_t until_ns);
// The next alarm; INT64_MAX: none.
int64_t world_next_ns(const World *world);

typedef struct {
    uint64_t rounds, alarms, events;
} WorldCounts;
WorldCounts world_counts(const World *world);

// Writing for components: failures other than conflict and not-found are bugs of the simulator. Each returns the code.
ErrCode world_patch(World *world, const char *manager, KubeKind kind, Slice ns, Slice name, KubePart part,
                    const Value *merge_patch);
