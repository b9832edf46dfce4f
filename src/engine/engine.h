// The engine: owns the State, calls the controllers, has their intents carried out. Laws 2 and 3
// of docs/design/README.md.
//
// One thread turns it (engine_turn). Everything else talks to it through one mailbox: watches bring events, workers
// bring back what came of a batch, the solver its plans. It never waits for them.
//
// Two ways to live:
//   real      engine_run on a thread of its own, with the thread executor (workers, one solver) and the system's clock;
//   virtual   the simulator calls engine_turn whenever something was told or engine_next has come, with an executor
//             that carries jobs out at the virtual moment it likes. Single-threaded; equal input, equal journal.
//
// Killing: engine_free at any moment is a crash. Nothing is written on the way out.
#pragma once

#include "ctl/ctl.h"
#include "engine/clock.h"

typedef struct Engine Engine;

// Work that blocks: one batch, one intent aside, or one solve.
typedef struct EngineJob EngineJob;
typedef enum { JOB_CALLS, JOB_SOLVE } JobType;
JobType engine_job_type(const EngineJob *job);
// For modelling latency and for the journal: the intents of the batch. A job may also be the event recorder's: CREATE
// and PATCH of Events.
const Intent *engine_job_intents(const EngineJob *job, uint32_t *ret_count);
// Pods that a solve is about; 0 of other jobs.
uint32_t engine_job_pods(const EngineJob *job);
// Makes the calls of intent `step` (0 …) and says whether the batch goes on. Blocks; any thread, one after the other.
// Does nothing when the engine is gone.
bool engine_job_step(EngineJob *job, uint32_t step);
// All steps that are left.
void engine_job_run(EngineJob *job);
// Posts what came of it to the engine's mailbox; or forgets it as if the process had died under it. Any thread.
void engine_job_done(EngineJob *job);
void engine_job_drop(EngineJob *job);

// Who carries jobs out. `submit` must not block and not run the job itself while engine_turn is calling it, except that
// a virtual executor may step it (the engine is not re-entered by that). What was submitted ends in done or drop.
typedef struct {
    void (*submit)(void *self, EngineJob *job);
    void *self;
} Executor;

// What a watch told, decoded, on its way to the mailbox. Real life posts it at once; a virtual life may give it time:
// what is relayed ends in deliver or drop, before engine_free. Of one kind in the order in which it came.
typedef struct WatchEvent WatchEvent;
KubeKind watch_event_kind(const WatchEvent *event);
void watch_event_deliver(WatchEvent *event);
void watch_event_drop(WatchEvent *event);
typedef struct {
    void (*take)(void *self, WatchEvent *event);
    void *self;
} Relay;

// Threads: `workers` for calls, one for solves. Jobs of calls start in the order of submission.
typedef struct ThreadExecutor ThreadExecutor;
// ERR_IO: the system gives no thread.
ErrCode thread_executor_new(uint32_t workers, ThreadExecutor **ret_executor, Err *err);
void thread_executor_free(ThreadExecutor *executor); // waits for what runs, drops what does not
Executor thread_executor(ThreadExecutor *executor);

// Every decision, for the record: what was intended and what came of it. `line` is one JSON object without newline,
// `wall_ns` by the own clock, as in the log.
typedef struct {
    void (*write)(void *self, int64_t wall_ns, Slice line);
    void *self;
} Journal;

// Who looks on, for metrics: told on the engine's thread, and changes nothing of the engine's. `changed`: every change
// of the State once everything is listed; `listing`: the object was there before. `called`: a reconcile, with all that
// it intended (of what needs a job the answers follow). `told`: a batch, or one intent aside, with what came of it,
// before its controller knows. `turned`: at the end of each turn. `at`: the Turn's two times.
typedef struct {
    void (*changed)(void *self, const State *state, const StateChange *change, bool listing, Moment at);
    void (*called)(void *self, const State *state, const char *controller, Key key, const Intent *intents,
                   uint32_t count, int64_t took_ns, Moment at);
    void (*told)(void *self, const State *state, const char *controller, Key key, const Intent *intents,
                 const Completion *completions, uint32_t count, Moment at);
    void (*turned)(void *self, Engine *engine, State *state, Moment at);
    void *self;
} EngineObserver;

// The tables and what `settings` points to must stay until the engine and all of its jobs are gone.
typedef struct {
    const Controller *const *controllers; // in the order in which they are told of changes
    uint32_t controller_count;
    Kube kube;
    Cloud cloud;
    Clock clock;
    State *state; // empty, taken over: for a cloud that needs its symbols before the engine is there. NULL: a new one
    Executor executor;
    Relay relay;                    // take NULL: events are posted at once
    Journal journal;                // write NULL: none
    const EngineObserver *observer; // copied; NULL: nobody looks on
    const Settings *settings;       // copied; NULL: settings_default
    uint64_t seed;
    void (*log)(void *context, int64_t wall_ns, const LogIntent *line); // NULL: none
    void *log_context;
    void (*wake)(void *context); // virtual life: something came into the mailbox. Any thread. NULL: none
    void *wake_context;
} EngineConfig;

Engine *engine_new(const EngineConfig *config);
// Jobs may still be out: they end in done or drop as always, which frees them. Not from inside engine_turn or a sink,
// and not while engine_run runs.
void engine_free(Engine *engine);

// Starts the watches: lists come in by and by, and controllers are called once each kind was told completely.
// ERR: a watch was refused for good.
ErrCode engine_start(Engine *engine, Err *err);
bool engine_is_synced(const Engine *engine);

// Everything that is due now: mailbox, timers, queues. Whether anything was done. Call until it says no.
bool engine_turn(Engine *engine);
// When engine_turn must be called again though nothing is told. MONO_END: never.
Mono engine_next(const Engine *engine);

// Real life: turns until engine_stop is called (any thread, signal-safe). ERR_IO: the system gave no thread to begin
// with.
ErrCode engine_run(Engine *engine, Err *err);
void engine_stop(Engine *engine);
// A turn soon, though nothing was told. Any thread.
void engine_wake(Engine *engine);

const State *engine_state(const Engine *engine);

// Batches, intents and failures are those of controllers; what the event recorder writes is counted apart.
typedef struct {
    uint64_t events, reconciles, batches, intents[INTENT_TYPE_COUNT], failures, solves;
    uint64_t relists, turns;
    uint64_t events_written, events_dropped; // of the recorder; dropped: too many waited, or the API server refused
    int64_t solve_ns_total;
    uint32_t mailbox_depth, keys_waiting, jobs_running;
    int64_t clock_ahead_ns; // the own wall clock, of the API server's
} EngineCounts;
EngineCounts engine_counts(const Engine *engine);
