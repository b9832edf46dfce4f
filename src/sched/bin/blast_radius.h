// Blast radius: a cost for the share of a workload that is lost with one node.
//
// A plan of a few very large nodes is cheap and fragile. With the annotation tenon.sh/node-loss-cost: C on a NodePool,
// a claim costs C dollars per hour more for each workload on it, times the square of the workload's share there: C when
// one node has all of it, C/k in total when k nodes share it evenly. Plans are compared by price plus this cost, which
// is not part of a plan's price; without the annotation it is 0. A workload is the pods of one controller that are
// planned now.
#pragma once

#include "sched/solver.h"

typedef struct WorkloadShares {
    uint32_t *of_class; // per class: its workload
    uint32_t *pods;     // per workload: number of pods
} WorkloadShares;

// Sets solver->workloads if some pool has the annotation; else it stays NULL.
void blast_radius_init(Solver *solver);

// The cost of a claim's workloads, $ per hour. O(entries²) of the bin's pods; O(1) without the annotation.
double blast_radius_cost(const Solver *solver, const Bin *bin);

// The cost per pod of a claim of the pool with `count` pods of the class's workload. O(1).
double blast_radius_per_pod(const Solver *solver, const Pool *pool, uint32_t class, uint32_t count);

// The number of pods of the class that may go to the bin, at most `limit`, before one adds more to the cost than
// `margin`, which is what placing it there instead of elsewhere saves.
uint32_t blast_radius_allowance(const Solver *solver, const Bin *bin, uint32_t class, double margin, uint32_t limit);
