// What placing changes in a solver, so that one prepared input can be solved in several ways and the best one be taken
// up again. What a solver only remembers (states, steps, launch_orders, label sets) is shared by all of them.
#pragma once

#include "sched/solver.h"

typedef struct {
    Arena *arena; // what placing made; NULL: there is no solution
    BinVec bins;
    TopologyGroup *groups;
    int64_t *totals;  // per group: those of one family share a total
    uint32_t *placed; // per class
    Pool *pools;
    Reservation *reservations;
    bool domains_settled;
    uint32_t placed_count; // pods
    double price;          // of all claims per hour, and what the loss of one node would cost (bin/blast_radius.h)
} Solution;

// Takes down the present state. It is the solver's until the next solution_start or solution_resume. O(size).
void solution_keep(Solver *solver, Solution *ret_solution);

// Gives back what placing made; there is no solution any more. Not for the one that is in the solver, or the initial
// one.
void solution_drop(Solution *solution);

// Gives back what placing made in all of them. The solver can only be thrown away then.
void solutions_free(Solver *solver);

// Starts placing afresh from a kept state, which stays as it is. O(nodes × dims + groups × domains).
void solution_start(Solver *solver, const Solution *initial);

// Goes on where the solution was kept.
void solution_resume(Solver *solver, const Solution *solution);
