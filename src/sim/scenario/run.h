// A run of a scenario: the embedded cluster with a tenon in it, its timeline carried out, its expectations looked at.
//
//   run_new → run_advance (as often as one likes, to any time) → run_finish → run_report → run_free
//
// Single-threaded and deterministic: the same scenario, options and seed give the same journal, byte for byte. What is
// real (a live view, a speed) lives outside, between two calls of run_advance.
#pragma once

#include "sim/audit/audit.h"
#include "sim/controller/process.h"
#include "sim/scenario/expect.h"

typedef struct Run Run;

typedef struct {
    bool has_seed;
    uint64_t seed;       // instead of the scenario's
    uint32_t kill_every; // SimProcessConfig.kill_every
    bool skip_floor;
    uint32_t moments; // figures are noted so often over the scenario; 0: 96
    Journal journal;  // beside the hash; write NULL: none
    void (*log)(void *context, int64_t now_ns, const LogIntent *line);
    void *log_context;
} RunOptions;

// `scenario` and what the options point to are borrowed for the life of the run. ERR_INVALID, ERR_NOT_FOUND: settings
// or region that are none.
ErrCode run_new(const Scenario *scenario, const RunOptions *options, Run **ret_run, Err *err);
void run_free(Run *run);

int64_t run_start_ns(const Run *run);
int64_t run_now_ns(const Run *run);
int64_t run_end_ns(const Run *run);

// On to that time, at most to the end.
void run_advance(Run *run, int64_t until_ns);
// What only the end can show: undecided expectations, the audit's last look. Once, after run_advance to the end.
void run_finish(Run *run);

// --- what came of it

// Figures of one moment.
typedef struct {
    int64_t at_ns; // after the start
    Population population;
    double price_per_hour; // mean since the moment before
    double floor_per_hour; // of the pods that want to run at this moment (docs/scenarios.md); NAN: not computed
} RunMoment;
typedef Vec(RunMoment) RunMomentVec;

typedef enum { RUN_NOTE, RUN_STEP, RUN_FAULT, RUN_EXPECTATION_MET, RUN_EXPECTATION_FAILED, RUN_REFUSED } RunEntryType;

// A line of the timeline as it happened.
typedef struct {
    RunEntryType type;
    int64_t at_ns; // after the start
    uint32_t line; // of the scenario's file; 0: none
    Slice text;
} RunEntry;
typedef Vec(RunEntry) RunEntryVec;

typedef struct {
    const Scenario *scenario;
    uint64_t seed;
    int64_t start_ns, duration_ns, whole_ns; // duration: until now; whole: of the scenario
    RunMomentVec moments;
    RunEntryVec entries;
    uint32_t expectations, failed; // failed: expectations, and steps that the API server refused
    uint32_t undecided;            // expectations that nothing is known of yet; none after run_finish
    Waiting to_bind, to_run;
    RunCounts counts;
    SimBill bill;
    double floor_dollars; // Σ floor of each moment × its time; NAN: not computed
    uint64_t api_calls[SIM_API_COUNT], api_throttled[SIM_API_COUNT];
    SimProcessCounts process;
    WorldCounts world;
    const ViolationVec *violations;
    uint64_t violation_count;
    uint64_t journal_hash, journal_lines;
} RunReport;

// Valid until the next call with this run. O(moments + pods).
const RunReport *run_report(Run *run);
// Run to its end, all expectations met, nothing refused, nothing violated.
bool run_is_green(const RunReport *report);
// The figures of this moment; the floor is that of the moment before.
RunMoment run_look(Run *run);
