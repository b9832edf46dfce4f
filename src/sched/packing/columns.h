// Column generation (Gilmore and Gomory): the search for the patterns that the master program lacks.
//
// Each round asks kinds for contents worth more than they cost, at prices between the best proven ones and the duals of
// the program (smoothing: duals of a poor program jump about). Effort is counted in work, never timed: equal input
// gives equal patterns.
#pragma once

#include "sched/packing/floor.h"
#include "sched/packing/patterns.h"

typedef struct {
    uint64_t work;       // elementary operations
    uint32_t steps;      // of branching per question at first
    uint32_t steps_most; // where nothing is found, questions are repeated with more steps, up to this
} ColumnEffort;

typedef struct {
    Patterns *patterns;
    const FloorProof *proof;
    Master master; // its columns are the patterns
    double *asked; // per item: prices asked about
} Columns;

// The program starts with the patterns that are there.
void columns_init(Columns *columns, Patterns *patterns, const FloorProof *proof);
void columns_free(Columns *columns);

// Solves the program, with all patterns, for these counts (NULL: those of the packing). False: that failed.
bool columns_solve(Columns *columns, const uint32_t *counts);

// Rounds of searching and solving until the effort is used up or nothing more is found; `counts` as above.
void columns_improve(Columns *columns, const uint32_t *counts, const ColumnEffort *effort);

// Elementary operations so far, of knapsacks and of linear programs.
uint64_t columns_work(const Columns *columns);
