// Internals of the engine, shared by its files: engine.c makes and runs it, turn.c is one turn, call.c calls
// controllers and dispatches their intents, watch_events.c applies events of watches, job_results.c applies completed
// jobs.
#pragma once

#include "ctl/turn_host.h"
#include "engine/gather/gather.h"
#include "engine/job.h"
#include "engine/queue.h"
#include "engine/recorder.h"
#include "engine/watch/reflector_thread.h"
#include "engine/watch/removals.h"

enum { ENGINE_REFLECTORS_MAX = KUBE_KIND_COUNT, RECONCILES_PER_TURN = 128 };

// The call of a controller that is running.
typedef struct {
    const Controller *controller; // NULL: none
    uint32_t number;
    Key key;
    uint64_t id;     // id of the reconcile, shared with the completions of its batch; 0: none
    bool has_key;    // its intents may form a batch
    bool asked_back; // turn_retry was called
} Call;

struct Engine {
    EngineConfig config;
    EngineObserver observer; // all NULL: none
    bool listing;            // controllers are observing the objects of the initial lists
    EngineShared *shared;
    State *state;
    void **selves; // memory of the controllers
    Queue *queue;  // keys of all controllers, by the controllers' numbers
    Recorder *recorder;
    Gather *gather;
    Random random;
    Reflector reflectors[ENGINE_REFLECTORS_MAX];
    uint32_t reflector_count;
    ReflectorThread *reflector_thread; // while engine_run runs
    Arena arena;                       // of the call
    ArenaMark arena_start;
    IntentVec intents; // of the call
    TurnHost host;
    Call call;
    Mono now;              // this and the next two are read once per turn
    int64_t wall_ns;       // wall time by the API server's clock
    int64_t own_wall_ns;   // wall time by this machine's clock: for log and journal
    int64_t said_ahead_ns; // difference of the two clocks, as last logged; 0: they agree
    uint64_t batch_number, call_number;
    bool started, synced, in_turn;
    atomic_bool stopped;
    Removals removals;
    EngineCounts counts;
};

// Times of the turn, for the observer.
static inline Moment engine_moment(const Engine *engine) {
    return (Moment){engine->now, engine->wall_ns};
}
