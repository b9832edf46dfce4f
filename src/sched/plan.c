// A solve, from input to plan.
#include "sched/plan_write.h"
#include "sched/prepare.h"
#include "sched/proof.h"
#include "sched/search.h"
#include "sched/set_aside.h"

const char *strategy_text(Strategy strategy) {
    static const char *const texts[] = {[STRATEGY_FIRST_FIT] = "first-fit",
                                        [STRATEGY_EMPTIEST_FIRST] = "emptiest-first",
                                        [STRATEGY_MARGINAL_PRICE] = "marginal-price",
                                        [STRATEGY_PATTERNS] = "patterns"};

    return texts[strategy];
}

// Computes the floor of the solution and writes the plan.
static void finish(Search *search, Arena *arena, Plan *ret_plan) {
    Solver *solver = search->solver;
    double floor = proof_floor(search);
    int64_t started = search_now(search);

    solver->result = arena;
    solver_write_plan(solver, ret_plan);
    search->timings.write = search_now(search) - started;
    ret_plan->floor_per_hour = floor;
    ret_plan->strategy = solver->strategy;
}

typedef enum { SOLVED, UNPREPARED, CANCELLED } Outcome;

static Outcome solve(Arena *work, Arena *arena, const PlanInput *input, Plan *ret_plan) {
    Solver *solver = arena_new(work, Solver);
    Search search = {.solver = solver};
    int64_t started, prepared;
    bool ready, wanted;

    solver->input = input;
    started = search_now(&search);
    ready = solver_init(solver, work, input);
    prepared = search_now(&search) - started;
    if (ready)
        search_run(&search, work, solver);
    wanted = solver->budget.end != BUDGET_CANCELLED;
    if (ready && wanted)
        finish(&search, arena, ret_plan);
    solutions_free(solver);
    if (!ready || !wanted)
        return wanted ? UNPREPARED : CANCELLED;
    search.timings.prepare = prepared;
    search.timings.total = search_now(&search) - started;
    ret_plan->timings = search.timings;
    return SOLVED;
}

// If half of the deadline is not enough to prepare the input, the pods with the largest specs are set aside, and the
// others are tried with the other half.
enum { TRIES = 4 };

void plan_solve(Arena *arena, const PlanInput *input, Plan *ret_plan) {
    PlanInput tried = *input;
    Outcome outcome = UNPREPARED;

    for (int i = 0; i < TRIES && outcome == UNPREPARED; i++) {
        Arena work = {0};

        outcome = solve(&work, arena, &tried, ret_plan);
        arena_free(&work);
        if (outcome == SOLVED)
            return;
        tried.search.deadline_ns /= 2;
        tried.search.deadline_steps /= 2;
        if (outcome == UNPREPARED && !set_aside_heaviest(arena, &tried))
            break;
    }
    plan_write_nothing(arena, &tried, ret_plan);
    ret_plan->cut_short = outcome == UNPREPARED;
    ret_plan->cancelled = outcome == CANCELLED;
}
