// One solve, from input to plan.
#include "sched/plan_write.h"
#include "sched/prepare.h"
#include "sched/search.h"

#include <math.h>

const char *strategy_text(Strategy strategy) {
    static const char *const texts[] = {[STRATEGY_FIRST_FIT] = "first-fit",
                                        [STRATEGY_EMPTIEST_FIRST] = "emptiest-first",
                                        [STRATEGY_MARGINAL_PRICE] = "marginal-price",
                                        [STRATEGY_PATTERNS] = "patterns"};

    return texts[strategy];
}

enum { FLOOR_PODS = 100 };

static double find_floor(Search *search, const PlanInput *input) {
    int64_t started = search_now(search);
    Effort effort = input->search.effort;
    double floor;

    if (effort == EFFORT_FAST || input->search.skip_floor)
        return NAN;
    budget_begin_proof(&search->solver->budget);
    // The effort grows with the pods: for few it is cheap, and a floor from resources alone says little of few nodes.
    lp_plan_prove(search->lp_plan, input->pending.count <= FLOOR_PODS ? EFFORT_BEST : effort);
    floor = lp_plan_floor(search->lp_plan, search->solver);
    search->timings.floor += search_now(search) - started;
    return floor;
}

static void solve(Arena *work, Arena *arena, const PlanInput *input, Plan *ret_plan) {
    Solver *solver = arena_new(work, Solver);
    Search search = {.solver = solver};
    int64_t started, prepared, at;
    double floor;

    solver->input = input;
    started = search_now(&search);
    (void)solver_init(solver, work, input);
    prepared = search_now(&search) - started;
    search_run(&search, work, solver);
    search.timings.prepare = prepared;
    floor = find_floor(&search, input);
    at = search_now(&search);
    solver->result = arena;
    solver_write_plan(solver, ret_plan);
    solutions_free(solver);
    search.timings.write = search_now(&search) - at;
    search.timings.total = search_now(&search) - started;
    ret_plan->floor_per_hour = floor;
    ret_plan->timings = search.timings;
    ret_plan->strategy = solver->strategy;
}

void plan_solve(Arena *arena, const PlanInput *input, Plan *ret_plan) {
    Arena work = {0};

    solve(&work, arena, input, ret_plan);
    arena_free(&work);
}
