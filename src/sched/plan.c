// A solve, from input to plan.
#include "base/buffer.h"
#include "sched/input/pod_priority.h"
#include "sched/plan_write.h"
#include "sched/prepare.h"
#include "sched/proof.h"
#include "sched/search.h"
#include "sched/set_aside.h"

#include <stdlib.h>

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
    double floor;
    int64_t started;

    search_weigh_again(search);
    floor = proof_floor(search);
    started = search_now(search);
    solver->result = arena;
    solver_write_plan(solver, ret_plan);
    search->timings.write = search_now(search) - started;
    ret_plan->floor_per_hour = floor;
    ret_plan->strategy = solver->strategy;
}

enum { POOLS_NAMED = 5 };

Slice left_out_daemon_text(Arena *arena, const Symbols *symbols, const LeftOutDaemon *left_out) {
    const ObjectMeta *meta = &left_out->daemon->meta;
    Buffer text = {0};
    Slice said;

    buffer_printf(&text, "DaemonSet %.*s/%.*s: its pods fit on no instance type of nodepool",
                  SLICE_ARG(symbol_text(symbols, meta->ns)), SLICE_ARG(symbol_text(symbols, meta->name)));
    for (uint32_t i = 0; i < left_out->pools.count && i < POOLS_NAMED; i++)
        buffer_printf(&text, "%s %.*s", i ? "," : "", SLICE_ARG(symbol_text(symbols, left_out->pools.items[i])));
    if (left_out->pools.count > POOLS_NAMED)
        buffer_printf(&text, " and %u other(s)", left_out->pools.count - POOLS_NAMED);
    buffer_append(&text, SLICE("; they stay pending there, and no room is kept for them"));
    said = arena_slice(arena, buffer_slice(&text));
    buffer_free(&text);
    return said;
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

static void solve_in_time(Arena *arena, const PlanInput *input, Plan *ret_plan) {
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

// --- preferences that are weighed

// The priorities of the unplaced pods, highest first.
static int32_t *left_over(Arena *arena, const PlanInput *input, const Plan *plan) {
    int32_t *priorities = arena_array(arena, int32_t, plan->unplaced.count);

    for (uint32_t i = 0; i < plan->unplaced.count; i++)
        priorities[i] = pod_priority(input->cluster, input->pending.items[plan->unplaced.items[i].pod].pod);
    if (plan->unplaced.count)
        qsort(priorities, plan->unplaced.count, sizeof *priorities, pod_priority_compare);
    return priorities;
}

// Whether plan `a` places more pods of the highest priority in which the two differ.
static bool places_more(const PlanInput *input, const Plan *a, const Plan *b) {
    Arena scratch = {0};
    const int32_t *without_a = left_over(&scratch, input, a), *without_b = left_over(&scratch, input, b);
    uint32_t i = 0;
    bool more;

    while (i < a->unplaced.count && i < b->unplaced.count && without_a[i] == without_b[i])
        i++;
    more = i < b->unplaced.count && (i == a->unplaced.count || without_a[i] < without_b[i]);
    arena_free(&scratch);
    return more;
}

static bool leaves_out_any(const PlanInput *input, const Plan *plan) {
    for (vec_each(const UnplacedPod, pod, &plan->unplaced)) {
        if (slice_is_empty(input->pending.items[pod->pod].ignored) && !pod->aside)
            return true;
    }
    return false;
}

// A preferred rule must not cost a pod its place. Since a search that keeps rules may miss placements, an input with
// unplaced pods is also solved without preferred rules, and that plan is taken if it places more pods.
static void solve_without(Arena *arena, const PlanInput *input, Plan *plan) {
    PlanInput without = *input;
    Plan other;

    without.search.keeps_none = true;
    if (plan->cut_short || plan->cancelled || input->search.budget_ns || !leaves_out_any(input, plan))
        return;
    solve_in_time(arena, &without, &other);
    if (!other.cut_short && !other.cancelled && places_more(input, &other, plan))
        *plan = other;
}

// Each of the two solves has half of the deadline.
static void solve_weighed(Arena *arena, const PlanInput *input, Plan *ret_plan) {
    PlanInput half = *input;

    half.search.deadline_ns /= 2;
    half.search.deadline_steps /= 2;
    solve_in_time(arena, &half, ret_plan);
    solve_without(arena, &half, ret_plan);
}

void plan_solve(Arena *arena, const PlanInput *input, Plan *ret_plan) {
    (plan_weighs(input) ? solve_weighed : solve_in_time)(arena, input, ret_plan);
}
