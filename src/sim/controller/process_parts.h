// Internals of SimProcess, shared by its files. Private to src/sim/controller.
//
// process.c is its lives and faults, process_executor.c runs jobs at virtual times, process_watch.c delays watch
// events, process_kube.c and process_cloud.c are the tables that it calls, process_wire.c is its AWS provider.
#pragma once

#include "cloud/aws/provider/provider.h"
#include "sim/controller/process.h"
#include "sim/controller/strand.h"

enum { SIM_VERBS = 8, CALL_TIMEOUT_S = 10 };
enum { VERB_GET, VERB_LIST, VERB_WATCH, VERB_CREATE, VERB_UPDATE, VERB_PATCH, VERB_DELETE, VERB_EVICT };

typedef struct SimJob SimJob;
typedef struct ProcessWatch ProcessWatch;

// Delayed watch events of one kind, oldest first, each with the time of its delivery.
typedef struct {
    struct DelayedEvent {
        WatchEvent *event;
        int64_t at_ns;
    } * items;
    uint32_t first, count, capacity; // of `items`: those in [first, count) wait for delivery
    int64_t last_ns;                 // delivery of the newest one
    int64_t drawn_at_ns, latency_ns; // one latency for all events of the same moment
    Alarm alarm;
    SimProcess *process;
} EventDelay;

// Of a life whose cloud is AWS (process_wire.c).
typedef struct {
    SimAwsLine line;
    AwsSession *session;
    AwsProvider *provider;
    uint32_t dies_in; // that many waits of strands from now; 0: not so
    bool can_start;
    void (*started)(SimProcess *process);
} WireLife;

// One life: everything that is lost with it.
typedef struct {
    State *state;    // the engine's
    SimView *view;   // or
    WireLife *wire;  // NULL: the cloud is the simulator's own
    Engine *engine;  // NULL: dead
    bool is_started; // it has left what it does before it leads behind
    bool heard;      // the API server has answered, so its time is known
    Alarm turn;      // the next turn of the engine without a wake-up
    bool woken;
    SimJob *running, *waiting, **last_waiting; // jobs that were submitted and have not ended
    uint32_t workers_busy;
    ProcessWatch *watches;
} Life;

struct SimProcess {
    World *world;
    SimCloud *cloud;
    SimProcessConfig config;
    Settings settings;
    Kube real_kube;         // the world's, wrapped by the audit
    Cloud real_cloud;       // of this life
    const Symbols *symbols; // of this life, for the audit
    Life life;
    Strands *strands; // of all lives; NULL: the cloud is the simulator's own
    EventDelay event_delays[KUBE_KIND_COUNT];
    Alarm restart, minute;
    Random latency, faults, moments, delays; // moments: of kills; delays: of watch events
    uint64_t seed;
    // Faults.
    bool partitioned;
    int64_t skew_ns, watch_delay_ns;
    KubeRevision forgotten; // watches cannot start before this revision
    uint32_t error_millionths;
    uint64_t kill_in; // intents until the next kill; 0: never
    int64_t late_ns;  // delay of the answer to the present call
    SimProcessCounts counts;
};

// Ends the present life, as config.kill_every demands (process.c).
void process_die(SimProcess *process);
