// The engine from the inside: what its files share. engine.c makes and runs it, turn.c is one turn, call.c calls
// controllers and sends their intents on their way, watch_events.c takes what watches tell, job_results.c what came of
// jobs.
#pragma once

#include "ctl/turn_host.h"
#include "engine/job.h"
#include "engine/queue.h"
#include "engine/recorder.h"
#include "engine/reflector_thread.h"

enum { ENGINE_REFLECTORS_MAX = KUBE_KIND_COUNT, RECONCILES_PER_TURN = 1024 };

// The controller that is being called.
typedef struct {
    const Controller *controller; // NULL: none
    uint32_t number;
    Key key;
    uint64_t id;     // of the reconcile; what came of its batch has the same. 0: none
    bool has_key;    // its intents may make a batch
    bool asked_back; // turn_retry was called
} Call;

struct Engine {
    EngineConfig config;
    EngineObserver observer; // all NULL: nobody
    bool listing;            // controllers are being told of what is there
    EngineShared *shared;
    State *state;
    void **selves; // of the controllers
    Queue *queue;  // controllers by their number
    Recorder *recorder;
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
    int64_t wall_ns;       // by the API server's clock
    int64_t own_wall_ns;   // by this machine's: of the log and the journal
    int64_t said_ahead_ns; // how far the one is ahead of the other, as it was last logged; 0: they agree
    uint64_t batch_number, call_number;
    bool started, synced, in_turn;
    atomic_bool stopped;
    EngineCounts counts;
};

// What the observer is told of the time.
static inline Moment engine_moment(const Engine *engine) {
    return (Moment){engine->now, engine->wall_ns};
}
