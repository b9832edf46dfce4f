// Pods that have left their bins, or never had one, and how they are placed anew: in what order, under which variants,
// with how much disorder.
#pragma once

#include "base/random.h"
#include "sched/place/change.h"

// Pods of one class that were together.
typedef struct {
    uint32_t class, variant; // that they were placed under; INDEX_NONE: they had no place
    uint32_t count;          // still to be placed
    double rank;             // lowest first
} Displaced;
typedef Vec(Displaced) DisplacedVec;

typedef struct {
    Solver *solver;
    Arena *arena; // of the list and what is known of classes
    Random random;
    DisplacedVec pods;
    LabelSetId on_demand;
    uint8_t *freedom; // per class: marginal.h
    double *size;     // per class
    bool *follows;    // per class: wants to be near pods that do not ask for it; those must be placed first
} Displacing;

// Reads what orders need of the classes. O(classes × groups).
void displacing_init(Displacing *displacing, Solver *solver, Arena *arena);

// Takes all that the solver has placed on a bin and may be taken off it. The bin's other pods keep it.
void displaced_take(Displacing *displacing, Change *change, uint32_t bin);

// Adds pods that have no place, of some classes that have such. O(classes).
void displaced_add_left_over(Displacing *displacing);

// Places what can be placed, in an order of its own each time. Ends early when that costs `most` or more and all
// had a place before: prices only rise while pods come. O(entries × cost of marginal_move).
void displaced_place(Displacing *displacing, Change *change, double most);
