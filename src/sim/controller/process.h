// SimProcess: a tenon in the embedded cluster, an Engine with all controllers on the world's clock.
//
// It behaves like a real process: its calls to the API server and the cloud take time (a random latency each, and
// watches deliver a little later), calls may fail, and it may be killed at any moment: then its memory is lost, calls
// under way have happened or not, and after a while it is started again from nothing.
//
// Solves take virtual time as well: `solve_ns_per_pod` and a minimum, not the time on this machine, so that equal seeds
// give equal histories.
#pragma once

#include "engine/engine.h"
#include "sim/audit/audit.h"
#include "sim/cloud/cloud_sim.h"
#include "sim/wire/wire.h"
#include "sim/world.h"

typedef struct SimProcess SimProcess;

typedef struct {
    const Settings *settings;                                          // copied; NULL: settings_default
    Audit *audit;                                                      // observes tenon's calls; NULL: none
    SimAws *aws;                                                       // its cloud by AWS's API; NULL: directly
    Journal journal;                                                   // of all lives; write NULL: none
    void (*log)(void *context, int64_t now_ns, const LogIntent *line); // NULL: none
    void *log_context;
    // Mean number of intents between two kills; 0: only sim_process_kill kills it. The moment is random: before the
    // call of an intent, after it and before its answer, between two intents of a batch, or in a solve. The mean grows
    // by 5 % with each kill.
    uint32_t kill_every;
    uint32_t workers; // concurrent calls; 0: 100
} SimProcessConfig;

// Makes a process and adds it to the world, which owns it. Its first life starts at once.
SimProcess *sim_process_add(World *world, SimCloud *cloud, const SimProcessConfig *config);

// --- faults

// kill -9; the next life starts after that time (0: at once). For a dead process it only sets that time.
void sim_process_kill(SimProcess *process, int64_t restart_after_ns);
void sim_process_kill_every(SimProcess *process, uint32_t intents); // replaces config.kill_every; 0: no more kills
// While partitioned its calls time out (after 10 s) and its watches deliver nothing; missed events are delivered
// afterwards.
void sim_process_partition(SimProcess *process, bool on);
void sim_process_skew(SimProcess *process, int64_t ns); // how far its clock is ahead of the world's
void sim_process_watch_delay(SimProcess *process, int64_t ns);
// Ends all its watches; `expired`: the API server also drops their revisions.
void sim_process_watch_drop(SimProcess *process, bool expired);
// That percentage of its calls to the API server fails (half of them after they took effect, with a timeout).
void sim_process_api_errors(SimProcess *process, double percent);

// --- reading

typedef struct {
    uint64_t lives, kills;
    uint64_t calls, failed_calls;         // to the API server, in all lives; includes watches and lists
    uint64_t calls_by_verb[8];            // get, list, watch, create, update, patch, delete, evict
    EngineCounts engine;                  // sums over all lives; depths of the present one
    size_t state_bytes, state_bytes_most; // memory of its State (state_memory), measured once a virtual minute
    size_t view_bytes;                    // of its view of the cloud, where that is the simulator's own
} SimProcessCounts;
SimProcessCounts sim_process_counts(const SimProcess *process);
bool sim_process_is_alive(const SimProcess *process);
// Whether nothing is under way: no job, no key that is due, an empty mailbox.
bool sim_process_is_idle(const SimProcess *process);
const State *sim_process_state(const SimProcess *process); // NULL: dead
