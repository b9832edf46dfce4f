// The simulated process from the inside: what its files share. Private to src/sim/controller.
//
// process.c is its life and its faults, process_executor.c carries jobs out at virtual moments, process_watch.c gives
// what watches tell its time, process_kube.c and process_cloud.c are the tables that it calls.
#pragma once

#include "sim/controller/process.h"

enum { SIM_VERBS = 8, CALL_TIMEOUT_S = 10 };
enum { VERB_GET, VERB_LIST, VERB_WATCH, VERB_CREATE, VERB_UPDATE, VERB_PATCH, VERB_DELETE, VERB_EVICT };

typedef struct SimJob SimJob;
typedef struct ProcessWatch ProcessWatch;

// Watch events of one kind, the oldest first, each with the moment when it arrives.
typedef struct {
    struct DelayedEvent {
        WatchEvent *event;
        int64_t at_ns;
    } * items;
    uint32_t first, count, capacity; // of `items`: those in [first, count) are on their way
    int64_t last_ns;                 // when the newest of them arrives
    int64_t drawn_at_ns, latency_ns; // one latency for everything that was told at that moment
    Alarm alarm;
    SimProcess *process;
} EventDelay;

// One life: everything that is gone with it.
typedef struct {
    State *state; // the engine's
    SimView *view;
    Engine *engine; // NULL: dead
    bool heard;     // the API server has answered, so its time is known
    Alarm turn;     // when the engine is to be turned again though nothing is told
    bool woken;
    SimJob *running, *waiting, **last_waiting; // jobs that were submitted and did not end
    uint32_t workers_busy, jobs;
    ProcessWatch *watches;
} Life;

struct SimProcess {
    World *world;
    SimCloud *cloud;
    SimProcessConfig config;
    Settings settings;
    Kube real_kube;         // the world's, seen by the audit
    Cloud real_cloud;       // of this life
    const Symbols *symbols; // of this life, for the audit
    Life life;
    EventDelay event_delays[KUBE_KIND_COUNT];
    Alarm restart, minute;
    Random latency, faults, moments, delays; // moments: of kills; delays: of watches
    uint64_t seed;
    // Faults.
    bool partitioned;
    int64_t skew_ns, watch_delay_ns;
    KubeRevision forgotten; // watches cannot start before it
    uint32_t error_millionths;
    uint64_t kill_in; // intents until the next kill; 0: never
    int64_t late_ns;  // the call that was just made is answered so much later
    SimProcessCounts counts;
};

// Dies by itself, as config.kill_every wants it (process.c).
void process_die(SimProcess *process);
