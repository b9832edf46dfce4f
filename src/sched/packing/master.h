// The linear program that chooses how often to use each column, so that all items are covered at the least price. A
// column is a kind of node and what goes into one: a pattern, or a mix of patterns in a relaxation.
//
// Its value falls as columns come; its duals say what each item is worth.
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
    const double *times; // per column: how often the last solution uses it; valid until columns are added
    uint32_t columns;
    uint64_t work; // of all solves (lp_work)
} Master;

// With a column of its own for each item, above all prices, so that there always is a solution.
void master_init(Master *master, Arena *arena, const Packing *packing);
void master_free(Master *master);

// How many of each item are to be covered; NULL: as many as the packing has.
void master_set_counts(Master *master, const uint32_t *counts);
void master_add(Master *master, const MasterColumnVec *columns);
// False: the solver gave up; the last solution stays.
bool master_solve(Master *master);
