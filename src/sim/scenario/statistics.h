// RunStatistics: a component that only observes and counts for reports: how long pods wait, numbers of nodes,
// disruptions. Costs and calls are counted by the cloud (sim/cloud).
#pragma once

#include "sim/world.h"

typedef struct RunStatistics RunStatistics;

// Makes the component and adds it to the world, which owns it.
RunStatistics *run_statistics_new(World *world);

typedef struct {
    uint64_t count;
    int64_t p50_ns, p90_ns, p99_ns, max_ns;
} Waiting;

// Times from creation to binding, and to Running, of pods that are neither of a DaemonSet nor static. O(n log n) each.
Waiting run_statistics_time_to_bind(RunStatistics *statistics);
Waiting run_statistics_time_to_run(RunStatistics *statistics);

// Present numbers.
typedef struct {
    uint32_t pods, pending, running; // not terminal; without a node; phase Running
    uint32_t nodes, ready, claims;
} Population;
Population run_statistics_population(const RunStatistics *statistics);

// Numbers since the start.
typedef struct {
    uint64_t pods_created, pods_bound, pods_finished; // Succeeded or Failed
    uint64_t claims_created, nodes_joined, nodes_gone;
    uint64_t pods_disrupted; // deleted or failed before their end, on a node that was going away
    uint32_t pods_most, nodes_most;
    int64_t node_ns; // total lifetime of Nodes
} RunCounts;
RunCounts run_statistics_counts(const RunStatistics *statistics);
