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

// call.c

// What the observer is told of the time.
static inline Moment engine_moment(const Engine *engine) {
    return (Moment){engine->now, engine->wall_ns};
}

// A turn for one call; what was intended is dispatched by call_end.
Turn call_begin(Engine *engine, uint32_t controller, const Key *key);
void call_end(Engine *engine, Turn *turn);
// Tells every controller of a change.
void call_observe(Engine *engine, const StateChange *change);
void call_start(Engine *engine);
void call_reconcile(Engine *engine, uint32_t controller, Key key);
// What came of a batch; without Controller.complete the engine decides itself.
void call_complete(Engine *engine, EngineJob *job);
// The host of Turns.
TurnHost call_host(Engine *engine);
// A line of the log about a controller's key (`key` may be NULL).
void engine_log(Engine *engine, LogLevel level, const char *message, const char *controller, const Key *key,
                const Slice *pairs, uint32_t pair_count);

// watch_events.c

void reflectors_init(Engine *engine);
// Begins all watches. ERR: one was refused for good.
ErrCode reflectors_start(Engine *engine, Err *err);
void reflectors_free(Engine *engine);
void watch_event_take(Engine *engine, WatchEvent *mail);
// Restarts what has rested long enough; whether there was any.
bool reflectors_turn(Engine *engine);
Mono reflectors_next(const Engine *engine);
bool reflectors_are_listed(const Engine *engine);
// Tells the controllers of everything that is there.
void reflectors_observe_all(Engine *engine);

// skew.c

// Reads the clocks for a turn, and says when the own one is another than the API server's.
void engine_read_clocks(Engine *engine);

// job_results.c

void jobs_submit(Engine *engine, EngineJob *job);
void jobs_take_results(Engine *engine, EngineJob *job);
// Writes down waiting events; whether there were any.
bool jobs_write_events(Engine *engine);

// journal.c: lines for Journal. Nothing in them depends on addresses, numbers of symbols, or real time.
void journal_decided(Engine *engine, const EngineJob *job);
void journal_results(Engine *engine, const EngineJob *job);
