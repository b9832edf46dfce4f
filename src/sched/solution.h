// Solution: the part of a solver that placing changes, so that one prepared input can be solved in several ways and the
// best solution resumed. What a solver caches (label states, steps, launch orders, label sets) is shared by all.
#pragma once

#include "sched/solver.h"

typedef struct {
    Arena *arena; // memory of what placing made; NULL: no solution
    BinVec bins;
    TopologyGroup *groups;
    int64_t *totals;  // per group; the groups of one family have the same
    uint32_t *placed; // per class
    Pool *pools;
    Reservation *reservations;
    bool domains_settled;
    uint32_t placed_count; // number of pods
    // Of all claims, $ per hour, plus the cost of node losses (bin/blast_radius.h) and the worth of preferred rules
    // that are left out (bin/pod_rate.h).
    double price;
} Solution;

// Saves the present state. Its memory stays in use by the solver until the next solution_start or solution_resume.
// O(size).
void solution_keep(Solver *solver, Solution *ret_solution);

// Frees a solution. Not for the one that is in the solver, nor for the initial one.
void solution_drop(Solution *solution);

// Frees all solutions of a solver, which must not be used after that.
void solutions_free(Solver *solver);

// Starts placing from a copy of a saved solution, which is not changed and may be dropped. O(size).
void solution_start(Solver *solver, const Solution *initial);

// Restores a saved solution in the solver, which may change it.
void solution_resume(Solver *solver, const Solution *solution);
