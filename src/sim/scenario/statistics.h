// What a run is reported by: how long pods waited, what nodes there were, what was disrupted. A component that only
// listens. Money and calls are the cloud's own figures (sim/cloud).
#pragma once

#include "sim/world.h"

typedef struct RunStatistics RunStatistics;

// Adds itself to the world, which owns it.
RunStatistics *run_statistics_new(World *world);

typedef struct {
    uint64_t count;
    int64_t p50_ns, p90_ns, p99_ns, max_ns;
} Waiting;

// From creation to a node, and to Running, of pods that are neither of a DaemonSet nor static. O(n log n) each.
Waiting run_statistics_time_to_bind(RunStatistics *statistics);
Waiting run_statistics_time_to_run(RunStatistics *statistics);

// As it is now.
typedef struct {
    uint32_t pods, pending, running; // that are not terminal; without a node; phase Running
    uint32_t nodes, ready, claims;
} Population;
Population run_statistics_population(const RunStatistics *statistics);

// Since the start.
typedef struct {
    uint64_t pods_created, pods_bound, pods_finished; // Succeeded or Failed
    uint64_t claims_created, nodes_joined, nodes_gone;
    uint64_t pods_disrupted; // went away unfinished from a node that was going away
    uint32_t pods_most, nodes_most;
    int64_t node_ns; // that Nodes were there, in all
} RunCounts;
RunCounts run_statistics_counts(const RunStatistics *statistics);
