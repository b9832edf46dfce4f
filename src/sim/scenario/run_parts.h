// Internals of a run, shared by its files.
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "sim/kubelet/kubelet.h"
#include "sim/scenario/run.h"

// One occurrence of a step: for repeated steps, and for faults that end.
typedef struct {
    Run *run;
    const ScenarioStep *step;
    int64_t at_ns; // when it occurs next
} RunTurn;

// The last configuration that `apply` gave an object.
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
    SimAws *aws; // NULL: tenon's cloud is the simulator's
    SimKubelets *kubelets;
    RunStatistics *statistics;
    Audit *audit;
    SimProcess *process;
    SimView *view;          // the run's own view of instance types, for floors
    Vec(Applied) applied;   // the last configuration of each applied object (run_apply.c)
    IndexMap applied_index; // object to index in `applied`
    Measures measures;
    Random random;
    uint64_t seed;
    int64_t start_ns, end_ns;
    ExpectedVec expected; // of steps whose time has come
    uint32_t undecided;
    bool looking; // an alarm for the next check of expectations is set
    RunMomentVec moments;
    RunEntryVec entries;
    uint32_t failed;
    int64_t billed_nano_dollars; // at the last RunMoment
    double floor_per_hour;
    Buffer journal_link; // work space for the hash
    uint64_t journal_hash, journal_lines;
    RunReport report;
};
