// State of the strategy of marginal prices (place/marginal.h): its index of the bins, and work space.
#pragma once

#include "sched/bin/bin_index.h"
#include "sched/solver.h"

typedef struct {
    float score;
    uint32_t bin;
} Candidate;

// A topology rule on hostname, and whether it counts the class itself.
typedef struct {
    const TopologyGroup *group;
    bool self;
} BinCheck;

struct Marginal {
    Arena arena; // owns all of the state, including this struct
    BinIndex bin_index;
    float *weight;        // per dimension: weight of a quantum in marginal_size and in the comparison of free room
    int32_t *need, *most; // per dimension, in quanta: request of the pod, and highest load of a bin that still has room
    int32_t *had;         // per dimension, in quanta: the load of a claim before it grows
    float *per_need;      // 1 / need, 0 where nothing is needed
    int32_t *step_counts; // work space: pods per step of a launch order
    float *step_scores;   // the same: the price per pod
    uint32_t step_capacity;
    Candidate *candidates;
    uint32_t candidate_capacity;
    BinCheck *checks;
    uint32_t check_capacity;
    struct MarginalRoom *room; // per class: place/marginal_room.h; NULL: none is known
    uint32_t remaining;        // pods without a place
};

// The state of the solver's strategy, made if there is none.
Marginal *marginal_state(Solver *solver);

// Allocates candidates for all bins.
void marginal_reserve(Solver *solver);

// Updates the state, if there is one, for `count` pods that were placed on a bin (negative: taken away). INDEX_NONE:
// only the number of pods without a place.
void marginal_note(Solver *solver, uint32_t bin, int32_t count);

// Removes a bin from the index.
void marginal_forget(Solver *solver, uint32_t bin);

// Frees the state, if any: bins were changed without marginal_note, or the strategy is done.
void marginal_drop(Solver *solver);

// Frees the state and makes it from the present bins.
void marginal_renew(Solver *solver);

// The size of a pod of the class: its shares of what all pods request, summed over resources.
double marginal_size(const Solver *solver, const PodClass *class);
