// What the strategy of marginal prices (place/marginal.h) knows of the bins between two questions, and its work space.
#pragma once

#include "sched/bin/bin_index.h"
#include "sched/solver.h"

typedef struct {
    float score;
    uint32_t bin;
} Candidate;

// A rule about single nodes, and whether it counts the class.
typedef struct {
    const TopologyGroup *group;
    bool self;
} BinCheck;

struct Marginal {
    Arena arena; // all of it, this struct too
    BinIndex bin_index;
    float *weight; // of a quantum, per dimension: how much free room there matters
    int32_t *need, *most;
    float *per_need;      // 1 / need, 0 where nothing is needed
    int32_t *step_counts; // as many as the longest launch_order has steps
    uint32_t step_capacity;
    Candidate *candidates;
    uint32_t candidate_capacity;
    BinCheck *checks;
    uint32_t check_capacity;
    uint32_t remaining; // pods without a place
};

// What the solver's strategy knows, found out afresh when it knows nothing.
Marginal *marginal_state(Solver *solver);

// Makes room for as many candidates as there are bins.
void marginal_reserve(Solver *solver);

// Tells the strategy that `count` pods were put on a bin (negative: taken away); INDEX_NONE: somewhere.
void marginal_note(Solver *solver, uint32_t bin, int32_t count);

// A bin that takes no more pods.
void marginal_forget(Solver *solver, uint32_t bin);

// Forgets what the strategy knows of the bins, when they have changed without its notice or are done with.
void marginal_drop(Solver *solver);

// Starts to keep track of the bins afresh.
void marginal_renew(Solver *solver);

// How much a pod of the class matters: its share of all that is asked for, summed over resources.
double marginal_size(const Solver *solver, const PodClass *class);
