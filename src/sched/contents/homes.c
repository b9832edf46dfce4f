// A pool certainly opens a claim if it does so for the first variant, which is tried on all pools before the others, if
// it has no limits that may be used up, and, for pods that rules between nodes count or bind, in the same domains.
#include "sched/contents/homes.h"

#include "sched/bin/home_pool.h"
#include "sched/contents/cells.h"

static bool is_told_apart(const SmallProblem *problem, uint32_t key) {
    for (vec_each(const uint32_t, known, &problem->keys)) {
        if (*known == key)
            return true;
    }
    return false;
}

// Whether the home of the class can be known: all domains that matter are cells.
static bool is_asked(const SmallProblem *problem, const PodClass *class) {
    if (!class_may_open(problem->solver, class))
        return false;
    for (vec_each(const KeyRule, rule, &class_variant(class, 0)->keys)) {
        if (!is_told_apart(problem, rule->key))
            return false;
    }
    return true;
}

// Pods without rules between nodes have the same home in all cells.
static void share_cells(const SmallProblem *problem, int64_t *homes) {
    int64_t best = INT64_MIN;

    for (uint32_t cell = 0; cell < problem->cells.count; cell++)
        best = homes[cell] > best ? homes[cell] : best;
    for (uint32_t cell = 0; cell < problem->cells.count; cell++)
        homes[cell] = best;
}

const int64_t *small_find_homes(SmallProblem *problem) {
    uint32_t cells = problem->cells.count;
    int64_t *homes = arena_array(problem->arena, int64_t, (size_t)problem->item_count * cells);

    for (uint32_t item = 0; item < problem->item_count; item++) {
        const PodClass *class = small_class(problem, item);
        int64_t *own = homes + (size_t)item * cells;

        for (uint32_t cell = 0; cell < cells; cell++) {
            own[cell] = INT64_MIN;
            for (vec_each(const Pool, pool, &problem->solver->pools)) { // heaviest first
                if (own[cell] == INT64_MIN && is_asked(problem, class) &&
                    pool_surely_serves(problem->solver, pool, class, small_state_in(problem, pool->open_state, cell)))
                    own[cell] = pool->pool->weight;
            }
        }
        if (!class_variant(class, 0)->keys.count)
            share_cells(problem, own);
    }
    return homes;
}
