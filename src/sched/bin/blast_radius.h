// Pricing in what the loss of one node takes of a workload.
//
// A plan of a few giant nodes is cheap and fragile. With the annotation tenon.sh/node-loss-cost: C on a NodePool, a
// claim costs C dollars per hour more for each workload on it, times the square of the workload's share there: C when
// one node carries all of it, C/k altogether when k nodes share it evenly. The number is part of what plans are
// compared by and not of their price; without the annotation it is 0. A workload is what one controller owns, of the
// pods planned now.
#pragma once

#include "sched/solver.h"

typedef struct WorkloadShares {
    uint32_t *of_class; // per class
    uint32_t *pods;     // per workload
} WorkloadShares;

// Fills solver->workloads when some pool has the annotation; else it stays NULL.
void blast_radius_init(Solver *solver);

// Dollars per hour for what the claim carries. O(entries²) of the bin's pods, O(1) without the annotation.
double blast_radius_cost(const Solver *solver, const Bin *bin);

// That cost per pod for a claim of the pool with `count` pods of the class's workload. O(1).
double blast_radius_per_pod(const Solver *solver, const Pool *pool, uint32_t class, uint32_t count);

// How many more pods of the class may go to the bin before one adds more to that cost than `margin`, what is saved by
// not taking it elsewhere.
uint32_t blast_radius_allowance(const Solver *solver, const Bin *bin, uint32_t class, double margin, uint32_t limit);
