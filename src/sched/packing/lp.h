// Linear programs, solved by Clp: minimise costs · x, x ≥ 0, with each row of A x within bounds. Columns can be added
// later.
//
// No output, no clock, no random numbers; equal calls give equal answers on one machine. Clp allocates by itself;
// lp_free frees that. Floors do not depend on the answers being right: floor.h proves them by its own arithmetic.
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

// A program with rows and no columns. Bounds may be -INFINITY or INFINITY. To be freed with lp_free.
Lp *lp_new(uint32_t row_count, const double *lower, const double *upper);
void lp_free(Lp *lp);
void lp_cleanup(Lp **lp);
#define LP_OWNED __attribute__((cleanup(lp_cleanup))) Lp *

void lp_add_columns(Lp *lp, const LpColumns *columns);
// Replaces the bounds of the rows.
void lp_set_rows(Lp *lp, const double *lower, const double *upper);

// Solves, starting from the last basis, and charges `budget` (may be NULL). False: infeasible, unbounded or given up,
// also because the budget is used up.
bool lp_solve(Lp *lp, Budget *budget);

// Results of the last successful solve, valid until the next call that changes the program.
double lp_objective(const Lp *lp);
const double *lp_columns(const Lp *lp); // x
const double *lp_duals(const Lp *lp);   // per row: change of the objective per unit of its bound
// Estimated work of the last solve, in elementary operations of about two nanoseconds.
uint64_t lp_work(const Lp *lp);
