// Displaced pods: pods that were taken from their bins, or had no place, and are placed again in a random order.
#pragma once

#include "base/random.h"
#include "sched/place/change.h"

// Pods of one class that were on one bin, or had no place.
typedef struct {
    uint32_t class, variant; // the variant they were placed under; INDEX_NONE: they had no place
    uint32_t count;          // still to be placed
    double rank;             // order of placing, lowest first
} Displaced;
typedef Vec(Displaced) DisplacedVec;

typedef struct {
    Solver *solver;
    Arena *arena; // of `pods`
    Random random;
    DisplacedVec pods;
    LabelSetId on_demand; // capacity type on-demand
    uint8_t *freedom;     // per class: marginal.h
    double *size;         // per class
    bool *follows;        // per class: has affinity to pods without that rule, which must be placed first
} Displacing;

// Computes what the order of placing needs, per class, in `arena`. O(classes × groups).
void displacing_init(Displacing *displacing, Solver *solver, Arena *arena);

// Takes all pods that the solver has placed on a bin; pods that are bound to a node stay.
void displaced_take(Displacing *displacing, Change *change, uint32_t bin);

// Adds the pods without a place of a few random classes. O(classes).
void displaced_add_left_over(Displacing *displacing);

// Places the pods that can be placed, in a random order. Stops early when change_cost is `most` or more, since it only
// rises as pods are placed. O(entries × cost of marginal_move).
void displaced_place(Displacing *displacing, Change *change, double most);
