// The master program of column generation: a linear program that chooses how many times to use each column, so that all
// items are covered at the least price. A column is a kind of node with a content: a pattern, or a mix of patterns in a
// relaxation.
//
// Its value falls as columns are added; its duals are the worths of the items.
#pragma once

#include "sched/packing/lp.h"
#include "sched/packing/packing.h"

typedef struct {
    uint32_t kind;
    uint32_t count;
    const uint32_t *items; // distinct
    const double *counts;
} MasterColumn;
typedef Vec(MasterColumn) MasterColumnVec;

typedef struct {
    const Packing *packing;
    Lp *lp;
    double value;        // of the last solution, $ per hour; INFINITY: none yet
    double *worth;       // per item: duals of the last solution, ≥ 0
    const double *times; // per column: uses in the last solution; valid until columns are added
    uint32_t columns;
    uint64_t work; // work of all solves (lp_work)
} Master;

// Makes the program with one column per item at a price above all others, so that it is always feasible.
void master_init(Master *master, Arena *arena, const Packing *packing);
void master_free(Master *master);

// Sets how many of each item are to be covered; NULL: as many as the packing has.
void master_set_counts(Master *master, const uint32_t *counts);
void master_add(Master *master, const MasterColumnVec *columns);
// False: the solver gave up, and the last solution stays.
bool master_solve(Master *master);
