// One solve, from input to plan.
#include "sched/improve.h"
#include "sched/solver.h"

#include <math.h>

const char *strategy_text(Strategy strategy) {
    static const char *const texts[] = {[STRATEGY_FIRST_FIT] = "first-fit",
                                        [STRATEGY_EMPTIEST_FIRST] = "emptiest-first",
                                        [STRATEGY_MARGINAL_PRICE] = "marginal-price",
                                        [STRATEGY_PATTERNS] = "patterns"};

    return texts[strategy];
}

// Greedy choices between equal domains can lock pods out: those of a volume's zone, of an affine group that started in
// the wrong place, or at a limit. When pods are left over for such a reason, the input is small and other choices
// exist, it is solved again with other ties, and the solution that places most pods is kept.
enum { ATTEMPTS = 6, ATTEMPT_PODS_MAX = 5000 };

static uint32_t placed_count(const Solver *solver) {
    uint32_t placed = 0;

    for (vec_each(const PodClass, class, &solver->classes.classes))
        placed += class->placed;
    return placed;
}

static bool choices_matter(const Solver *solver) {
    bool limited = false;

    if (solver->input->pending.count > ATTEMPT_PODS_MAX)
        return false;
    for (vec_each(const Pool, pool, &solver->pools))
        limited |= pool->limited;
    for (vec_each(const PodClass, class, &solver->classes.classes)) {
        if (class->placed < class->count &&
            (limited || vec_last(&class->variants)->keys.count || vec_last(&class->variants)->bin_checks.count))
            return true;
    }
    return false;
}

// One solution in memory of its own; a solver holds pointers into itself, so it stays where it was made.
typedef struct {
    Arena work;
    Solver solver;
    uint32_t placed;
    double price;
} Attempt;

// What is being solved, and the best solution so far.
typedef struct {
    const PlanInput *input;
    Arena attempts;
    Attempt *best;
    PlanTimings timings;
} Search;

static int64_t now(const Search *search) {
    const PlanSearch *asked = &search->input->search;

    return asked->now_ns ? asked->now_ns(asked->now_context) : 0;
}

static double claims_price(Solver *solver) {
    double price = 0;

    for (uint32_t i = solver->node_count; i < solver->bins.count; i++) {
        const Bin *bin = &solver->bins.items[i];

        if (bin->pods.count) // else improvement has emptied it
            price += claim_price(solver, bin, bin->rows, NULL, NULL);
    }
    return price;
}

// More pods placed is better; then the lower price; then fewer nodes; then the earlier attempt.
static bool is_better(const Attempt *attempt, const Attempt *than) {
    if (attempt->placed != than->placed)
        return attempt->placed > than->placed;
    if (fabs(attempt->price - than->price) > 1e-9)
        return attempt->price < than->price;
    return attempt->solver.bins.count < than->solver.bins.count;
}

static void try_attempt(Search *search, Strategy strategy, uint32_t number) {
    Attempt *attempt = arena_new(&search->attempts, Attempt), *worse = attempt;
    int64_t started = now(search), prepared;

    solver_init(&attempt->solver, &attempt->work, search->input);
    prepared = now(search);
    attempt->solver.attempt = number;
    attempt->solver.strategy = strategy;
    solver_place(&attempt->solver);
    attempt->placed = placed_count(&attempt->solver);
    attempt->price = claims_price(&attempt->solver);
    search->timings.prepare += prepared - started;
    search->timings.place[strategy] += now(search) - prepared;
    if (!search->best || is_better(attempt, search->best)) {
        worse = search->best;
        search->best = attempt;
    }
    if (worse)
        arena_free(&worse->work);
}

static void improve(Attempt *attempt, const PlanSearch *asked) {
    solver_improve(&attempt->solver, asked);
    if (choices_matter(&attempt->solver)) // there may be room now for pods that were left over
        solver_place_again(&attempt->solver);
}

static uint32_t strategies_of(const PlanInput *input) {
    enum { FEW_PODS = 1000 };
    const PlanSearch *asked = &input->search;
    uint32_t strategies = 1U << STRATEGY_FIRST_FIT | 1U << STRATEGY_MARGINAL_PRICE;

    if (asked->strategies)
        return asked->strategies;
    if (asked->effort == EFFORT_FAST)
        return 1U << STRATEGY_MARGINAL_PRICE;
    if (input->pending.count <= FEW_PODS)
        strategies |= 1U << STRATEGY_EMPTIEST_FIRST;
    return strategies;
}

void plan_solve(Arena *arena, const PlanInput *input, Plan *ret_plan) {
    Search search = {.input = input};
    int64_t started = now(&search), placed;

    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        if (strategies_of(input) >> strategy & 1)
            try_attempt(&search, strategy, 0);
    }
    CHECK(search.best, "no strategy was asked for");
    if (choices_matter(&search.best->solver)) {
        for (uint32_t number = 1; number < ATTEMPTS; number++)
            try_attempt(&search, STRATEGY_FIRST_FIT, number);
    }
    placed = now(&search);
    if (input->search.effort != EFFORT_FAST && !input->search.skip_improvement)
        improve(search.best, &input->search);
    search.timings.improve = now(&search) - placed;
    placed = now(&search);
    search.best->solver.result = arena;
    solver_write_plan(&search.best->solver, ret_plan);
    search.timings.write = now(&search) - placed;
    search.timings.total = now(&search) - started;
    ret_plan->timings = search.timings;
    ret_plan->strategy = search.best->solver.strategy;
    arena_free(&search.best->work);
    arena_free(&search.attempts);
}
