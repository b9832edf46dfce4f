// Linear programs by Clp, with as little of Clp as is needed: minimise costs · x, x ≥ 0, with each row of A x within
// bounds, and columns that come later.
//
// Silent and deterministic: no output, no clock, no random number; equal calls give equal answers on one machine. Clp
// allocates by itself; what it took goes back with lp_free. Nobody has to trust the answers: floor.h proves what it
// makes of them by arithmetic of its own.
#pragma once

#include "sched/budget.h"

typedef struct Lp Lp;

// Columns in compressed form: the entries of column i are [starts[i], starts[i + 1]) of rows and values.
typedef struct {
    uint32_t count;
    const double *costs;
    const int *starts; // count + 1
    const int *rows;
    const double *values;
} LpColumns;

// A program with rows and no columns. Bounds may be -INFINITY or INFINITY.
Lp *lp_new(uint32_t row_count, const double *lower, const double *upper);
void lp_free(Lp *lp);
void lp_cleanup(Lp **lp);
#define LP_OWNED __attribute__((cleanup(lp_cleanup))) Lp *

void lp_add_columns(Lp *lp, const LpColumns *columns);
// New bounds of the rows.
void lp_set_rows(Lp *lp, const double *lower, const double *upper);

// Solves on from the last basis, and charges `budget` (NULL: nobody) for it. False: infeasible, unbounded or given up,
// also because the budget is over.
bool lp_solve(Lp *lp, Budget *budget);

// Of the last successful solve; valid until the next call that changes the program.
double lp_objective(const Lp *lp);
const double *lp_columns(const Lp *lp); // x
const double *lp_duals(const Lp *lp);   // per row: what one unit more of its bound adds to the objective
// About how much work the last solve was, in elementary operations (of about two nanoseconds): efforts are counted in
// them.
uint64_t lp_work(const Lp *lp);
