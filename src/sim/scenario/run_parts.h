// What the files of a run share.
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "sim/kubelet/kubelet.h"
#include "sim/scenario/run.h"

// A step that has its turn again and again, and what a fault that ends needs to know.
typedef struct {
    Run *run;
    const ScenarioStep *step;
    int64_t at_ns; // when it has its turn
} RunTurn;

// What `apply` said of an object last.
typedef struct {
    KubeRef ref;
    const Value *config; // of the scenario
} Applied;

struct Run {
    const Scenario *scenario;
    RunOptions options;
    Arena arena; // of everything that lives as long as the run
    Settings settings;
    World *world;
    SimCloud *cloud;
    SimKubelets *kubelets;
    RunStatistics *statistics;
    Audit *audit;
    SimProcess *process;
    SimView *view;          // the run's own look at instance types, for floors
    Vec(Applied) applied;   // what was applied last, one for each object (run_apply.c)
    IndexMap applied_index; // of the object to its place there
    Measures measures;
    Random random;
    uint64_t seed;
    int64_t start_ns, end_ns;
    ExpectedVec expected; // those whose step has come
    uint32_t undecided;
    bool looking; // an alarm is set for the next look at expectations
    RunMomentVec moments;
    RunEntryVec entries;
    uint32_t failed;
    int64_t billed_nano_dollars; // at the last moment
    double floor_per_hour;
    Buffer journal_link; // work space of the hash
    uint64_t journal_hash, journal_lines;
    RunReport report;
};

// --- run_steps.c

// Sets the alarms of all steps.
void run_plan_steps(Run *run);
// "Pod default/web-1"
Slice run_describe(Arena *arena, KubeRef ref);
// Notes that the API server refused a step, and why.
void run_refuse(Run *run, const ScenarioStep *step, const char *what, KubeRef ref, const KubeError *error);

// --- run_apply.c

void run_apply(Run *run, const ScenarioStep *step);

// --- run_faults.c

// `on`: the fault begins, or happens once; else it ends.
void run_fault(Run *run, const ScenarioFault *fault, bool on);
// "ice (instanceType m5.*, zone us-east-1a) for 45m"
Slice run_print_fault(Arena *arena, const ScenarioFault *fault);

// --- run_expect.c

void run_expect(Run *run, const ScenarioStep *step);
void run_look_at_expectations(Run *run);

// --- run_moments.c

void run_plan_moments(Run *run);

// --- run_floor.c

// No set of nodes that holds the pods that want to run now costs less per hour. NAN: there is none. O(a solve).
double run_floor(Run *run);

// --- run.c

__attribute__((format(printf, 4, 5))) void run_note(Run *run, RunEntryType type, uint32_t line, const char *format,
                                                    ...);
