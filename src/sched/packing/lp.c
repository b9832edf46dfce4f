// A wrapper of Clp's C interface.
#include "sched/packing/lp.h"

#include "base/alloc.h"
#include "base/check.h"

#include <coin/Clp_C_Interface.h>
#include <float.h>
#include <math.h>

// Iterations of one solve, and between two checks of the budget. Most solves need one piece: each further one factors
// the basis again.
enum { ITERATIONS_MAX = 100000, ITERATIONS_PIECE = 2000 };

struct Lp {
    Clp_Simplex *model;
    uint64_t iterations; // iterations of the last solve
};

// Clp's infinity is DBL_MAX.
static double clp_bound(double bound) {
    return isinf(bound) ? copysign(DBL_MAX, bound) : bound;
}

static double *clp_bounds(uint32_t count, const double *bounds) {
    double *copy = NEW_ARRAY(double, count);

    for (uint32_t i = 0; i < count; i++)
        copy[i] = clp_bound(bounds[i]);
    return copy;
}

Lp *lp_new(uint32_t row_count, const double *lower, const double *upper) {
    Lp *lp = NEW(Lp);
    int none = 0;

    lp->model = Clp_newModel();
    CHECK(lp->model, "out of memory");
    Clp_setLogLevel(lp->model, 0);
    Clp_scaling(lp->model, 0); // callers scale; Clp would do it at each solve
    Clp_setMaximumIterations(lp->model, ITERATIONS_PIECE);
    Clp_resize(lp->model, (int)row_count, 0);
    Clp_loadProblem(lp->model, 0, (int)row_count, &none, &none, NULL, NULL, NULL, NULL, NULL, NULL);
    lp_set_rows(lp, lower, upper);
    return lp;
}

void lp_free(Lp *lp) {
    if (!lp)
        return;
    Clp_deleteModel(lp->model);
    free(lp);
}

void lp_cleanup(Lp **lp) {
    lp_free(*lp);
}

void lp_add_columns(Lp *lp, const LpColumns *columns) {
    Clp_addColumns(lp->model, (int)columns->count, NULL, NULL, columns->costs, columns->starts, columns->rows,
                   columns->values);
}

void lp_set_rows(Lp *lp, const double *lower, const double *upper) {
    uint32_t count = (uint32_t)Clp_numberRows(lp->model);
    double *bounds = clp_bounds(count, lower);

    Clp_chgRowLower(lp->model, bounds);
    free(bounds);
    bounds = clp_bounds(count, upper);
    Clp_chgRowUpper(lp->model, bounds);
    free(bounds);
}

static uint64_t work_of(const Lp *lp, uint64_t iterations) {
    uint64_t rows = (uint64_t)Clp_numberRows(lp->model), columns = (uint64_t)Clp_numberColumns(lp->model);

    return columns * 180 + iterations * (rows * 15 + columns * 5);
}

bool lp_solve(Lp *lp, Budget *budget) {
    enum { OPTIMAL = 0, STOPPED = 3 }; // Clp_status
    int status = STOPPED;
    bool goes_on = true;

    lp->iterations = 0;
    while (status == STOPPED && goes_on && lp->iterations < ITERATIONS_MAX) {
        uint64_t pivots;

        (void)Clp_primal(lp->model, 0);
        status = Clp_status(lp->model);
        pivots = (uint64_t)Clp_numberIterations(lp->model);
        lp->iterations += pivots;
        goes_on = pivots > 0 && (!budget || budget_spend(budget, work_of(lp, pivots)));
    }
    return status == OPTIMAL;
}

double lp_objective(const Lp *lp) {
    return Clp_objectiveValue(lp->model);
}

const double *lp_columns(const Lp *lp) {
    return Clp_primalColumnSolution(lp->model);
}

const double *lp_duals(const Lp *lp) {
    return Clp_dualRowSolution(lp->model);
}

uint64_t lp_work(const Lp *lp) {
    return work_of(lp, lp->iterations);
}
