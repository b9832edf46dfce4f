// The engine: owns the State, calls the controllers, and has their intents carried out. Laws 2 and 3 of
// docs/design/README.md.
//
// One thread runs its turns (engine_turn). Everything else reaches it through one mailbox: watches post events, workers
// post completed batches, the solver posts plans. The engine never waits for them.
//
// Two modes:
//   real      engine_run on a thread of its own, with the thread executor (workers, one solver) and the system's clock;
//   virtual   the simulator calls engine_turn whenever mail was posted or engine_next is reached, with an executor that
//             carries out jobs at virtual times of its choice. Single-threaded; equal input, equal journal.
//
// engine_free at any moment is a crash: nothing is written on the way out.
#pragma once

#include "ctl/ctl.h"
#include "engine/clock.h"

typedef struct Engine Engine;

// A job: work that blocks, which is one batch, one intent aside, one solve, or one call of the cloud for several of
// the first two that are a single intent each and were gathered (cloud_windows). The engine holds these back itself:
// they are submitted as one job when their window ends.
typedef struct EngineJob EngineJob;
typedef enum { JOB_CALLS, JOB_SOLVE, JOB_DISRUPT, JOB_TYPE_COUNT } JobType;
JobType engine_job_type(const EngineJob *job);
// The intents of the job, for modelling latency and for the journal. A job may be the event recorder's: CREATE and
// PATCH of Events. Of a gathered one: the intents of all that it is the call of, of one type.
const Intent *engine_job_intents(const EngineJob *job, uint32_t *ret_count);
// Pods that a solve plans for; 0 of other jobs.
uint32_t engine_job_pods(const EngineJob *job);
// Makes the calls of intent `step` (from 0) and returns whether the batch goes on. Blocks; any thread, one at a time.
// Does nothing when the engine was freed. A gathered job has one step, 0, whatever the number of its intents.
bool engine_job_step(EngineJob *job, uint32_t step);
// Runs all steps that are left.
void engine_job_run(EngineJob *job);
// Posts the completions to the engine's mailbox; or drops them, as if the process had died during the job. Any thread.
// Of a gathered job: those of all that it is the call of, a mail each.
void engine_job_done(EngineJob *job);
void engine_job_drop(EngineJob *job);

// Executor: carries out jobs. `submit` must not block and not run the job while engine_turn calls it, except that a
// virtual executor may step it (this does not re-enter the engine). Every job that was submitted ends in done or drop.
typedef struct {
    void (*submit)(void *self, EngineJob *job);
    void *self;
} Executor;

// An event of a watch, decoded, on its way to the mailbox. In real mode it is posted at once; in virtual mode a Relay
// may delay it. Every event that is relayed ends in deliver or drop, before engine_free; events of one kind in the
// order in which they came.
typedef struct WatchEvent WatchEvent;
KubeKind watch_event_kind(const WatchEvent *event);
void watch_event_deliver(WatchEvent *event);
void watch_event_drop(WatchEvent *event);
typedef struct {
    void (*take)(void *self, WatchEvent *event);
    void *self;
} Relay;

// Thread executor: `workers` threads for calls, one for solves. Calls start in the order of submission.
typedef struct ThreadExecutor ThreadExecutor;
// ERR_IO: no thread could be started.
ErrCode thread_executor_new(uint32_t workers, ThreadExecutor **ret_executor, Err *err);
void thread_executor_free(ThreadExecutor *executor); // waits for running jobs, drops the others
Executor thread_executor(ThreadExecutor *executor);

// Journal: every decision, as intents and their completions. `line` is one JSON object without newline, `wall_ns` is
// this machine's wall time, as in the log.
typedef struct {
    void (*write)(void *self, int64_t wall_ns, Slice line);
    void *self;
} Journal;

// EngineObserver: callbacks for metrics, on the engine's thread; they must not change anything of the engine.
//   changed   every change of the State, once all kinds are listed; `listing`: the object existed before;
//   called    a reconcile, with all its intents (completions of those that need a job follow later);
//   told      a completed batch, or one intent aside, before its controller sees it;
//   gathered  intents of one type that waited for each other are one call of the cloud (CloudWindows);
//   turned    the end of each turn.
// `at`: monotonic and wall time of the turn.
typedef struct {
    void (*changed)(void *self, const State *state, const StateChange *change, bool listing, Moment at);
    void (*called)(void *self, const State *state, const char *controller, Key key, const Intent *intents,
                   uint32_t count, int64_t took_ns, Moment at);
    void (*told)(void *self, const State *state, const char *controller, Key key, const Intent *intents,
                 const Completion *completions, uint32_t count, Moment at);
    void (*gathered)(void *self, IntentType type, uint32_t count, int64_t waited_ns, Moment at);
    void (*turned)(void *self, Engine *engine, State *state, Moment at);
    void *self;
} EngineObserver;

// Configuration of an engine. The tables and what `settings` points to must outlive the engine and all of its jobs.
typedef struct {
    const Controller *const *controllers; // in the order in which they observe changes
    uint32_t controller_count;
    Kube kube;
    Cloud cloud;
    Clock clock;
    State *state; // an empty State to take over, for a cloud that needs its symbols before the engine exists. NULL: a
                  // new one
    Executor executor;
    Relay relay;                    // take NULL: events are posted at once
    Journal journal;                // write NULL: none
    const EngineObserver *observer; // copied; NULL: none
    const Settings *settings;       // copied; NULL: settings_default
    uint64_t seed;
    void (*log)(void *context, int64_t wall_ns, const LogIntent *line); // NULL: none
    void *log_context;
    void (*wake)(void *context); // virtual mode: called when mail was posted. Any thread. NULL: none
    void *wake_context;
} EngineConfig;

Engine *engine_new(const EngineConfig *config);
// Frees the engine. Jobs may still be running: they end in done or drop as always, which frees them. Not to be called
// from inside engine_turn or a watch's sink, nor while engine_run runs.
void engine_free(Engine *engine);

// Starts the watches. Lists arrive in the following turns, and controllers are called once every kind is listed. ERR: a
// watch was refused permanently.
ErrCode engine_start(Engine *engine, Err *err);
bool engine_is_synced(const Engine *engine);

// Does everything that is due now: mailbox, timers, work queue. Returns whether anything was done; call until it
// returns false.
bool engine_turn(Engine *engine);
// When engine_turn must be called again although no mail comes. MONO_END: never.
Mono engine_next(const Engine *engine);

// Real mode: runs turns until engine_stop is called (any thread, signal-safe), which also ends a solve that is under
// way. ERR_IO: no thread could be started.
ErrCode engine_run(Engine *engine, Err *err);
void engine_stop(Engine *engine);
// Causes a turn soon, without mail. Any thread.
void engine_wake(Engine *engine);

const State *engine_state(const Engine *engine);

// Counters of an engine. Batches, intents and failures are those of controllers; the event recorder's are counted
// apart.
typedef struct {
    uint64_t events, reconciles, batches, intents[INTENT_TYPE_COUNT], failures, solves;
    uint64_t relists, turns;
    uint64_t events_written, events_dropped; // of the recorder; dropped: its queue was full, or the API server refused
    int64_t solve_ns_total;
    uint32_t mailbox_depth, keys_waiting;
    uint32_t jobs_running;  // batches, intents aside and solves: also those that are being gathered
    int64_t clock_ahead_ns; // how far this machine's wall clock is ahead of the API server's
} EngineCounts;
EngineCounts engine_counts(const Engine *engine);
