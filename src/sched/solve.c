// One solve, from input to plan.
#include "sched/solver.h"

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
} Attempt;

static Attempt *attempt_make(Arena *arena, const PlanInput *input, uint32_t number) {
    Attempt *attempt = arena_new(arena, Attempt);

    solver_init(&attempt->solver, &attempt->work, input);
    attempt->solver.attempt = number;
    solver_place(&attempt->solver);
    return attempt;
}

void plan_solve(Arena *arena, const PlanInput *input, Plan *ret_plan) {
    Arena attempts = {0};
    Attempt *best = attempt_make(&attempts, input, 0);
    uint32_t count = choices_matter(&best->solver) ? ATTEMPTS : 1;

    for (uint32_t number = 1; number < count; number++) {
        Attempt *attempt = attempt_make(&attempts, input, number), *worse = attempt;

        if (placed_count(&attempt->solver) > placed_count(&best->solver)) {
            worse = best;
            best = attempt;
        }
        arena_free(&worse->work);
    }
    best->solver.result = arena;
    solver_write_plan(&best->solver, ret_plan);
    arena_free(&best->work);
    arena_free(&attempts);
}
