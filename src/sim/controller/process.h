// A tenon that lives in the embedded cluster: an Engine with all controllers, on the world's clock.
//
// It is a process as a real one is: between it and the API server and the cloud lies time (each call takes a drawn
// latency, watches tell a little later), calls may fail, and it may be killed at any moment: then nothing it held in
// memory is left, calls on their way have happened or not, and after a while it is started anew from nothing.
//
// Solves take virtual time as well: `solve_ns_per_pod` and a foot, not what they took on this machine, so that equal
// seeds give equal histories.
#pragma once

#include "engine/engine.h"
#include "sim/audit/audit.h"
#include "sim/cloud/cloud_sim.h"
#include "sim/world.h"

typedef struct SimProcess SimProcess;

typedef struct {
    const Settings *settings; // copied; NULL: settings_default
    Audit *audit;             // what tenon calls goes through it; NULL: nobody watches
    Journal journal;          // of all lives together; write NULL: none
    void (*log)(void *context, int64_t now_ns, const LogIntent *line); // NULL: none
    void *log_context;
    // Mean number of intents between two kills; 0: it is killed only by sim_process_kill. The moment is drawn among:
    // before the call of an intent, after it and before its answer, between two intents of a batch, in a solve. The
    // mean grows by 5 % with each kill.
    uint32_t kill_every;
    uint32_t workers; // calls at the same time; 0: 100
} SimProcessConfig;

// Adds itself to the world, which owns it. The first life starts at once.
SimProcess *sim_process_add(World *world, SimCloud *cloud, const SimProcessConfig *config);

// --- faults

// kill -9; the next life starts after that time (0: at once). Of a process that is dead: only moves its next life.
void sim_process_kill(SimProcess *process, int64_t restart_after_ns);
void sim_process_kill_every(SimProcess *process, uint32_t intents); // config.kill_every from now on; 0: not any more
// While cut off its calls time out (after 10 s) and its watches say nothing; what they missed comes afterwards.
void sim_process_partition(SimProcess *process, bool on);
void sim_process_skew(SimProcess *process, int64_t ns); // its clock is so far ahead of the world's
void sim_process_watch_delay(SimProcess *process, int64_t ns);
// All its watches end; `expired`: and the API server has forgotten their revisions.
void sim_process_watch_drop(SimProcess *process, bool expired);
// So many percent of its calls to the API server fail (half of them after they took effect, with a timeout).
void sim_process_api_errors(SimProcess *process, double percent);

// --- reading

typedef struct {
    uint64_t lives, kills;
    uint64_t calls, failed_calls;         // to the API server, all lives; watches and lists are calls too
    uint64_t calls_by_verb[8];            // get, list, watch, create, update, patch, delete, evict
    EngineCounts engine;                  // sums of all lives; depths are those of the present one
    size_t state_bytes, state_bytes_most; // memory of its State (state_memory), looked at once a virtual minute
} SimProcessCounts;
SimProcessCounts sim_process_counts(const SimProcess *process);
bool sim_process_is_alive(const SimProcess *process);
// Nothing on its way: no job, no key waiting that is due, mailbox empty.
bool sim_process_is_idle(const SimProcess *process);
const State *sim_process_state(const SimProcess *process); // NULL: dead
