// Run: a run of a scenario: the embedded cluster with a tenon in it, the timeline, and the expectations.
//
//   run_new → run_advance (as often as needed, to any time) → run_finish → run_report → run_free
//
// Single-threaded and deterministic: the same scenario, options and seed give the same journal, byte for byte.
// Everything in real time (a live view, a speed) happens outside, between two calls of run_advance.
#pragma once

#include "sim/audit/audit.h"
#include "sim/controller/process.h"
#include "sim/scenario/expect.h"

typedef struct Run Run;

typedef struct {
    bool has_seed;
    uint64_t seed;       // overrides the scenario's
    uint32_t kill_every; // SimProcessConfig.kill_every
    bool aws_wire;       // tenon's cloud is its AWS provider, over a transport in memory
    bool skip_floor;
    uint32_t moments; // number of RunMoments over the scenario; 0: 96
    Journal journal;  // besides the hash; write NULL: none
    void (*log)(void *context, int64_t now_ns, const LogIntent *line);
    void *log_context;
} RunOptions;

// `scenario` and what the options point to are borrowed for the life of the run. ERR_INVALID, ERR_NOT_FOUND: invalid
// settings or region, or NodePools that AWS has nothing for.
ErrCode run_new(const Scenario *scenario, const RunOptions *options, Run **ret_run, Err *err);
void run_free(Run *run);

int64_t run_start_ns(const Run *run);
int64_t run_now_ns(const Run *run);
int64_t run_end_ns(const Run *run);

// Runs to that time, at most to the end.
void run_advance(Run *run, int64_t until_ns);
// Decides the remaining expectations and ends the audit. To be called once, after run_advance to the end.
void run_finish(Run *run);

// --- results

// Values at one moment.
typedef struct {
    int64_t at_ns; // after the start
    Population population;
    double price_per_hour; // mean since the previous moment
    double floor_per_hour; // for the pods that want to run now (docs/scenarios.md); NAN: not computed
} RunMoment;
typedef Vec(RunMoment) RunMomentVec;

typedef enum { RUN_NOTE, RUN_STEP, RUN_FAULT, RUN_EXPECTATION_MET, RUN_EXPECTATION_FAILED, RUN_REFUSED } RunEntryType;

// An entry of the timeline as it happened.
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
    uint32_t undecided;            // expectations that are not decided yet; none after run_finish
    Waiting to_bind, to_run;
    RunCounts counts;
    SimBill bill;
    double floor_dollars; // sum of each moment's floor × its time; NAN: not computed
    uint64_t api_calls[SIM_API_COUNT], api_throttled[SIM_API_COUNT];
    SimProcessCounts process;
    SimAwsCounts aws; // all 0 unless aws_wire
    WorldCounts world;
    const ViolationVec *violations;
    uint64_t violation_count;
    uint64_t journal_hash, journal_lines;
} RunReport;

// Valid until the next call with this run. O(moments + pods).
const RunReport *run_report(Run *run);
// Whether the run reached its end with all expectations met, no step refused and no rule violated.
bool run_is_green(const RunReport *report);
// Values at the present moment; the floor is that of the previous moment.
RunMoment run_look(Run *run);
