// Column generation (Gilmore and Gomory): the search for patterns that lower the value of the master program.
//
// Each round looks, per kind, for contents worth more than the kind costs, at prices between the best proven ones and
// the duals of the program (smoothing: the duals of a program with few columns vary much). Effort is counted in work,
// never in time, so equal input gives equal patterns.
#pragma once

#include "sched/packing/floor.h"
#include "sched/packing/patterns.h"

typedef struct {
    uint64_t work;       // elementary operations
    uint32_t steps;      // steps of branching per knapsack at first
    uint32_t steps_most; // where nothing is found, knapsacks are repeated with more steps, up to this
} ColumnEffort;

typedef struct {
    Patterns *patterns;
    const FloorProof *proof;
    Master master; // its columns are the patterns
    double *asked; // per item: prices of the present round
} Columns;

// The program starts with the present patterns.
void columns_init(Columns *columns, Patterns *patterns, const FloorProof *proof);
void columns_free(Columns *columns);

// Solves the program with all patterns for these counts of items (NULL: those of the packing). False: the solver
// failed.
bool columns_solve(Columns *columns, const uint32_t *counts);

// Searches and solves in rounds until the effort is used up or nothing more is found. `counts` as above.
void columns_improve(Columns *columns, const uint32_t *counts, const ColumnEffort *effort);

// Elementary operations of knapsacks and linear programs so far.
uint64_t columns_work(const Columns *columns);
