// The search for the best solution of a prepared solver.
//
// Each effort is a stage that comes after those of the lesser efforts: EFFORT_FAST tries one strategy, EFFORT_NORMAL
// all of them with improvement, EFFORT_BEST more patterns, more attempts and many more steps. A solution is replaced
// only by a better one, so more effort never makes a plan more expensive.
#pragma once

#include "sched/contents/deal.h"
#include "sched/packing/lp_plan.h"
#include "sched/solution.h"

typedef struct {
    Solver *solver;
    Arena *arena;
    Solution initial, best;
    Strategy strategy; // strategy of the best solution
    LpPlan *lp_plan;   // NULL: neither patterns nor a floor are requested
    uint32_t *ranks;   // per class: rank of its priority, 0 is the highest
    uint32_t rank_count;
    Effort effort;              // the present stage
    bool last;                  // it is the last stage
    bool weighed;               // weigh_again has finished on the best solution
    bool cautious;              // limits are charged with the largest types
    const int32_t *home_weight; // per class (bin/home_pool.h); NULL: solutions are not compared by `below_home`
    uint32_t below_home;        // claims_below_home of the best solution
    double early_floor;         // floor of solutions that place all pods (proof_is_cheapest); 0: nothing is proved
    bool has_early_floor;
    Deals deals; // of the early floor
    PlanTimings timings;
} Search;

// Searches, and leaves the best solution in the solver. The search's own data lives in `arena`.
void search_run(Search *search, Arena *arena, Solver *solver);

// Reconsiders preferred rules (place/weigh_again.h) if the search ended before that.
void search_weigh_again(Search *search);

// Time by the clock of the solver's input; 0 without one.
static inline int64_t search_now(const Search *search) {
    const PlanSearch *asked = &search->solver->input->search;

    return asked->now_ns ? asked->now_ns(asked->now_context) : 0;
}
