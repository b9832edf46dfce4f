// One solve, from input to plan.
#include "sched/contents/small_floor.h"
#include "sched/plan_write.h"
#include "sched/prepare.h"
#include "sched/search.h"
#include "sched/set_aside.h"

#include <math.h>

const char *strategy_text(Strategy strategy) {
    static const char *const texts[] = {[STRATEGY_FIRST_FIT] = "first-fit",
                                        [STRATEGY_EMPTIEST_FIRST] = "emptiest-first",
                                        [STRATEGY_MARGINAL_PRICE] = "marginal-price",
                                        [STRATEGY_PATTERNS] = "patterns"};

    return texts[strategy];
}

// Inputs that more is proved for, whatever the effort: for few pods it is cheap, and a floor from resources alone says
// little of few nodes.
enum { FLOOR_PODS = 100, SMALL_FLOOR_STEPS = 8000000 };
static const double NEAR_FLOOR = 0.99; // of the price: a floor that says enough

// The spreads that came to count the domains with nodes instead of those that pools could open.
static bool *find_settled(Search *search, const Solution *final) {
    Solver *solver = search->solver;
    bool *settled = arena_array(solver->arena, bool, solver->topology.groups.count);

    for (uint32_t i = 0; i < solver->topology.groups.count; i++) {
        const TopologyGroup *group = &final->groups[i];

        settled[i] =
            group->supported && !bitset_eq(group->supported, search->initial.groups[i].supported, group->words);
    }
    return settled;
}

// What whole contents of nodes prove. The solution stays as it is.
static double find_small_floor(Search *search, const Solution *final) {
    Solver *solver = search->solver;
    SmallFloorQuestion question = {.placed = final->placed,
                                   .settled = find_settled(search, final),
                                   .price = final->price,
                                   .steps = SMALL_FLOOR_STEPS};
    double floor;

    solution_start(solver, &search->initial);
    floor = small_floor(solver, &question);
    solution_resume(solver, final);
    return floor;
}

// More is looked for while the price is not near what is proved.
static double find_floor(Search *search, const PlanInput *input) {
    int64_t started = search_now(search);
    Effort effort = input->search.effort;
    bool few = input->pending.count <= FLOOR_PODS;
    Solution final;
    double floor;

    if (effort == EFFORT_FAST || input->search.skip_floor)
        return NAN;
    budget_begin_proof(&search->solver->budget);
    solution_keep(search->solver, &final);
    floor = lp_plan_floor(search->lp_plan, search->solver);
    if (few && floor < final.price * NEAR_FLOOR)
        floor = fmax(floor, find_small_floor(search, &final));
    if (effort == EFFORT_BEST || floor < final.price * NEAR_FLOOR) {
        lp_plan_prove(search->lp_plan, few ? EFFORT_BEST : effort);
        floor = fmax(floor, lp_plan_floor(search->lp_plan, search->solver));
    }
    search->timings.floor += search_now(search) - started;
    return floor;
}

// The rest of a solve whose input is prepared.
static void finish(Search *search, Arena *arena, const PlanInput *input, Plan *ret_plan) {
    Solver *solver = search->solver;
    double floor = find_floor(search, input);
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
        finish(&search, arena, input, ret_plan);
    solutions_free(solver);
    if (!ready || !wanted)
        return wanted ? UNPREPARED : CANCELLED;
    search.timings.prepare = prepared;
    search.timings.total = search_now(&search) - started;
    ret_plan->timings = search.timings;
    return SOLVED;
}

// Where half of the deadline does not suffice to prepare the input, the pods that ask most are left out, and the others
// have the other half.
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
