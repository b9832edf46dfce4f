// Soft taints that pods put up with beside a claim that could grow for them.
//
// A pod tolerates a PreferNoSchedule taint only where no other place is left (reference scheduling.md 5.8), and an open
// claim of a pool without that taint is a place. If such a claim could hold the pod as well at the end, and the limits
// bear it, it could when the pod was placed: it held no more then, and had the limits no room for it to be opened
// later. So a plan that has both is none that anybody would make.
#include "exact/problem.h"

#include <math.h>

typedef struct {
    Problem *problem;
    Program *program;
    int first; // variable of the first column
    const double *values;
} Cutting;

static int variable_of(const Cutting *cutting, const Column *column) {
    return cutting->first + (int)(column - cutting->problem->columns.items);
}

static bool is_used(const Cutting *cutting, const Column *column) {
    return cutting->values[variable_of(cutting, column)] > 0;
}

static uint32_t soft_items(const Problem *problem, const Column *column) {
    uint32_t soft =
        column->node == INDEX_NONE ? problem->families.items[column->family].soft : problem->node_soft[column->node];

    return soft & content_items(problem, column->content);
}

static const Pool *pool_of(const Problem *problem, const Column *column) {
    return column->node == INDEX_NONE ? problem->families.items[column->family].claim->pool : NULL;
}

// What the limits of its pool are charged more with once the claim has grown.
static Amounts growth(const Column *from, const Column *to) {
    Amounts more = to->charge;

    for (uint32_t i = 0; i < RESOURCE_MAX; i++)
        more.of[i] = to->charge.of[i] > from->charge.of[i] ? to->charge.of[i] - from->charge.of[i] : 0;
    return more;
}

// The claim with one more pod of the item, at the least share of the limits; NULL: nothing of its pool holds that.
static const Column *grown(const Problem *problem, const Column *claim, uint32_t item) {
    uint32_t content = claim->content + problem->items.items[item].stride;
    const Pool *pool = pool_of(problem, claim);
    const Column *best = NULL;
    double least = INFINITY;

    for (vec_each(const Column, column, &problem->every)) {
        double share;

        if (column->content != content || column->cell != claim->cell || pool_of(problem, column) != pool ||
            column->reservation != INDEX_NONE)
            continue;
        share = exact_share_of_limits(problem, &(Served){.limited = pool, .charge = growth(claim, column)});
        if (share < least) {
            best = column;
            least = share;
        }
    }
    return best;
}

static bool may_join(const Problem *problem, const Column *claim, uint32_t item, uint32_t cell) {
    return claim->node == INDEX_NONE && claim->reservation == INDEX_NONE &&
           !(problem->families.items[claim->family].soft >> item & 1) &&
           content_of(problem, claim->content, item) < problem->items.items[item].count &&
           exact_is_same_place(problem, item, claim->cell, cell);
}

// A variable that is 0 only where the claim is not used.
static int use_variable(const Cutting *cutting, const Column *claim) {
    int variable = variable_of(cutting, claim), used;
    double most = cutting->program->most.items[variable];
    uint32_t row;

    if (most == 1)
        return variable;
    used = program_variable(cutting->program, 1);
    row = program_row(cutting->program, -INFINITY, 0);
    program_term(cutting->program, row, variable, 1);
    program_term(cutting->program, row, used, -most);
    return used;
}

// While the claim is used, and the limits bear its growth, no pod of the item puts up with a taint in the cell.
static void cut(const Cutting *cutting, const Column *claim, const Column *larger, uint32_t item, uint32_t cell) {
    Problem *problem = cutting->problem;
    Program *program = cutting->program;
    double pods = problem->pod_count;
    const Pool *pool = pool_of(problem, claim);
    Amounts more = growth(claim, larger);
    uint32_t row = program_row(program, -INFINITY, pods); // Σ columns ≤ N × (1 − used + short)

    program_term(program, row, use_variable(cutting, claim), pods);
    if (pool->limits.present)
        program_term(program, row, exact_short_of_limits(problem, program, cutting->first, pool, &more), -pods);
    for (vec_each(const Column, column, &problem->columns)) {
        if (column->cell == cell && (soft_items(problem, column) >> item & 1))
            program_term(program, row, variable_of(cutting, column), 1);
    }
}

// Whether what is left of the limits in the solution bears the growth.
static bool limits_bear(const Cutting *cutting, const Pool *pool, const Amounts *more) {
    const Problem *problem = cutting->problem;

    for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
        int64_t slack;

        if (!amounts_has(&pool->limits, i))
            continue;
        slack = exact_limit_slack(problem, pool, more, i);
        for (vec_each(const Column, column, &problem->columns)) {
            if (pool_of(problem, column) == pool)
                slack -= column->charge.of[i] * (int64_t)cutting->values[variable_of(cutting, column)];
        }
        if (slack < 0)
            return false;
    }
    return true;
}

static bool cut_for(const Cutting *cutting, uint32_t item, uint32_t cell) {
    Problem *problem = cutting->problem;
    bool any = false;

    for (vec_each(const Column, claim, &problem->columns)) {
        const Column *larger = NULL;
        Amounts more;

        if (is_used(cutting, claim) && may_join(problem, claim, item, cell))
            larger = grown(problem, claim, item);
        if (!larger)
            continue;
        more = growth(claim, larger);
        if (!limits_bear(cutting, pool_of(problem, claim), &more))
            continue;
        cut(cutting, claim, larger, item, cell);
        any = true;
    }
    return any;
}

bool exact_cut_soft(Problem *problem, Program *program, int first, const double *values) {
    Cutting cutting = {.problem = problem, .program = program, .first = first, .values = values};
    bool any = false;

    for (vec_each(const Column, column, &problem->columns)) {
        uint32_t soft = is_used(&cutting, column) ? soft_items(problem, column) : 0;

        for (uint32_t item = 0; item < problem->items.count && soft; item++)
            any |= (soft >> item & 1) && !exact_needs_company(problem, item) && cut_for(&cutting, item, column->cell);
    }
    return any;
}
