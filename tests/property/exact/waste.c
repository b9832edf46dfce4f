// Claims that use up a limit without need.
//
// A pod opens a claim only where no open claim takes it (reference scheduling.md 5.4). So of two claims of a pool whose
// pods would be in one claim of it, in the same domains, the second was not opened; a plan that has both, in order that
// pods may pass by the pool, is none that anybody would make.
#include "exact/problem.h"

#include <math.h>

typedef struct {
    Problem *problem;
    const Pool *pool;
    bool *holds; // [cell * contents + content]: a claim of the pool in the cell holds it
} Merging;

static bool is_candidate(const Merging *merging, const Column *column) {
    return column->node == INDEX_NONE && merging->problem->families.items[column->family].claim->pool == merging->pool;
}

// Whether the pods of a claim may as well be in another cell.
static bool may_move(const Problem *problem, const Column *column, uint32_t cell) {
    for (uint32_t i = 0; i < problem->items.count; i++) {
        if (content_of(problem, column->content, i) && !exact_is_same_place(problem, i, cell, column->cell))
            return false;
    }
    return true;
}

static bool merge(const Merging *merging, const Column *one, const Column *other) {
    const Problem *problem = merging->problem;

    for (uint32_t i = 0; i < problem->items.count; i++) {
        if (content_of(problem, one->content, i) + content_of(problem, other->content, i) >
            problem->items.items[i].count)
            return false;
    }
    return (merging->holds[(size_t)one->cell * problem->content_count + one->content + other->content] &&
            may_move(problem, other, one->cell)) ||
           (merging->holds[(size_t)other->cell * problem->content_count + one->content + other->content] &&
            may_move(problem, one, other->cell));
}

// The columns of which only one may be used; first one that is, then others that merge with all of them.
typedef Vec(const Column *) Columns;

static bool may_join(const Merging *merging, const Program *program, int first, const Columns *columns,
                     const Column *column) {
    int variable = first + (int)(column - merging->problem->columns.items);

    if (!is_candidate(merging, column) ||
        (program->most.items[variable] > 1 && !merge(merging, column, column))) // two of it may be needed
        return false;
    for (vec_each(const Column *const, other, columns)) {
        if (*other == column || !merge(merging, *other, column))
            return false;
    }
    return true;
}

static void find_held(const Merging *merging) {
    const Problem *problem = merging->problem;

    memset(merging->holds, 0, (size_t)problem->cells.count * problem->content_count * sizeof *merging->holds);
    for (vec_each(const Column, column, &problem->every)) { // also one that is too dear: the pod would not have asked
        if (is_candidate(merging, column))
            merging->holds[(size_t)column->cell * problem->content_count + column->content] = true;
    }
}

static double used(const Problem *problem, int first, const Columns *columns, const double *values) {
    double sum = 0;

    for (vec_each(const Column *const, column, columns))
        sum += values[first + (int)(*column - problem->columns.items)];
    return sum;
}

static void cut(Problem *problem, Program *program, int first, const Columns *columns, int guard) {
    uint32_t row = program_row(program, -INFINITY, 1 + (double)problem->pod_count); // Σ columns ≤ 1 + N × (1 − guard)

    program_term(program, row, guard, problem->pod_count);
    for (vec_each(const Column *const, column, columns))
        program_term(program, row, first + (int)(*column - problem->columns.items), 1);
}

// Cuts off what merges with the column, if the solution has more than one of that.
static bool cut_beside(const Merging *merging, Program *program, int first, const Column *column, const double *values,
                       int guard) {
    Problem *problem = merging->problem;
    Columns columns = {0};

    for (int turn = 0; turn < 2; turn++) { // columns in use, then the others
        for (vec_each(const Column, other, &problem->columns)) {
            bool in_use = values[first + (int)(other - problem->columns.items)] > 0;

            if (turn == 0 && columns.count == 0
                    ? other == column && may_join(merging, program, first, &columns, other)
                    : in_use == (turn == 0) && may_join(merging, program, first, &columns, other))
                vec_push(problem->world.arena, &columns, other);
        }
    }
    if (used(problem, first, &columns, values) < 2)
        return false;
    cut(problem, program, first, &columns, guard);
    return true;
}

bool exact_cut_waste(Problem *problem, Program *program, int first, const int *guard_variables, const double *values) {
    size_t held = (size_t)problem->cells.count * problem->content_count;
    Merging merging = {.problem = problem};
    bool any = false;

    for (uint32_t i = 0; i < problem->guards.count; i++) {
        if (problem->guards.items[i].kind != GUARD_LIMIT || !guard_variables[i] || values[guard_variables[i]] < 1)
            continue;
        if (!merging.holds)
            merging.holds = arena_array(problem->world.arena, bool, held);
        merging.pool = problem->served.items[problem->guards.items[i].index].limited;
        find_held(&merging);
        for (vec_each(const Column, column, &problem->columns)) {
            if (values[first + (int)(column - problem->columns.items)] > 0 && is_candidate(&merging, column))
                any |= cut_beside(&merging, program, first, column, values, guard_variables[i]);
        }
    }
    return any;
}
