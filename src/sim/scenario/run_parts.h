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
