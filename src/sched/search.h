// From a prepared solver to the best solution that an effort finds.
//
// Each effort begins with all that the one before it does: EFFORT_FAST one strategy, EFFORT_NORMAL then all of them and
// improvement, EFFORT_BEST then more patterns, more attempts and far more steps. What is kept is never worse than what
// was kept before, so more effort never costs more.
#pragma once

#include "sched/packing/lp_plan.h"
#include "sched/solution.h"

typedef struct {
    Solver *solver;
    Arena *arena;
    Solution initial, best;
    Strategy strategy; // of the best
    LpPlan *lp_plan;   // NULL: neither patterns nor a floor were asked for
    uint32_t *ranks;   // per class: 0 is the highest priority
    uint32_t rank_count;
    Effort effort;      // of the stage under way
    bool last;          // there is no stage after it
    bool cautious;      // limits are charged with the largest types
    double early_floor; // of solutions that place all pods (proof_is_cheapest); 0: nothing is proved
    bool has_early_floor;
    PlanTimings timings;
} Search;

// Leaves the best solution in the solver. Everything lives in `arena`, beside what the solver has of its own.
void search_run(Search *search, Arena *arena, Solver *solver);

// Time by the clock of the solver's input; 0 without one.
static inline int64_t search_now(const Search *search) {
    const PlanSearch *asked = &search->solver->input->search;

    return asked->now_ns ? asked->now_ns(asked->now_context) : 0;
}
