// Guards as rows: a claim that needs an excuse is used only where one holds at the end of the plan.
#include "exact/problem.h"

#include <math.h>

typedef struct {
    Problem *problem;
    Program *program;
    int first;       // variable of the first column
    int *of_guards;  // variable by guard; 0: none yet
    int *of_excuses; // by excuse; 0: none yet
} Guarding;

static int column_variable(const Guarding *guarding, const Column *column) {
    return guarding->first + (int)(column - guarding->problem->columns.items);
}

static bool is_of_pool(const Problem *problem, const Column *column, const Pool *pool) {
    return column->node == INDEX_NONE && problem->families.items[column->family].claim->pool == pool;
}

// 1 only where the limits of the pool leave too little for the charge.
static void guard_limit(Problem *problem, Program *program, int first, const Pool *pool, const Amounts *charge,
                        int variable) {
    uint32_t some = program_row(program, -INFINITY, 0); // used up ≤ Σ of the resources that are

    program_term(program, some, variable, 1);
    for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
        int short_of;
        double slack, scale;
        uint32_t row;

        if (!amounts_has(&pool->limits, i))
            continue;
        slack = (double)exact_limit_slack(problem, pool, charge, i);
        scale = fmax(1, slack);
        short_of = program_variable(program, 1);
        program_term(program, some, short_of, -1);
        row = program_row(program, 0, INFINITY); // charges ≥ (slack and a little) × short
        program_term(program, row, short_of, -(slack + fmax(1, slack * 1e-5)) / scale);
        for (vec_each(const Column, column, &problem->columns)) {
            if (is_of_pool(problem, column, pool))
                program_term(program, row, first + (int)(column - problem->columns.items),
                             (double)column->charge.of[i] / scale);
        }
    }
}

static void guard_served(Guarding *guarding, uint32_t number, int variable) {
    const Served *served = &guarding->problem->served.items[number];

    guard_limit(guarding->problem, guarding->program, guarding->first, served->limited, &served->charge, variable);
}

int exact_short_of_limits(Problem *problem, Program *program, int first, const Pool *pool, const Amounts *charge) {
    int variable = program_variable(program, 1);

    guard_limit(problem, program, first, pool, charge, variable);
    return variable;
}

// Adds the pods of some items in a domain; undecided claims may be there.
static void add_pods(Guarding *guarding, uint32_t row, uint32_t key, uint32_t domain, uint32_t items) {
    for (vec_each(const Column, column, &guarding->problem->columns)) {
        uint32_t at = column_domain(guarding->problem, column, key),
                 count = column_pods(guarding->problem, column, items);

        if (count && (at == domain || at == DOMAIN_OPEN))
            program_term(guarding->program, row, column_variable(guarding, column), count);
    }
}

// The least that a spread counts in its other domains before the plan, so the least at any time.
static int64_t least_elsewhere(Problem *problem, const SpreadRule *rule, uint32_t domain) {
    int64_t least = INT64_MAX;
    bool exists;

    for (uint32_t i = 0; i < rule->reachable.count && rule->spread->min_domains <= 1; i++) {
        int64_t bound = rule->reachable.items[i] == domain
                            ? INT64_MAX
                            : exact_bound_in(problem, rule, rule->reachable.items[i], &exists);

        least = bound < least ? bound : least;
    }
    return least < INT64_MAX ? least : 0;
}

// 1 only where one pod more in the domain would be above max skew.
static void guard_spread(Guarding *guarding, const Guard *guard, int variable) {
    const SpreadRule *rule = &guarding->problem->spreads.items[guard->index];
    bool exists;
    int64_t bound = exact_bound_in(guarding->problem, rule, guard->domain, &exists);
    int64_t full = rule->spread->max_skew + 1 - guard->items + least_elsewhere(guarding->problem, rule, guard->domain);
    uint32_t row = program_row(guarding->program, (double)-bound, INFINITY); // bound + pods ≥ full × variable

    program_term(guarding->program, row, variable, (double)-full);
    add_pods(guarding, row, rule->key, guard->domain, rule->matched);
}

static void guard_anti(Guarding *guarding, const Guard *guard, int variable) {
    uint32_t row = program_row(guarding->program, 0, INFINITY); // pods ≥ variable

    program_term(guarding->program, row, variable, -1);
    add_pods(guarding, row, guarding->problem->antis.items[guard->index].key, guard->domain, guard->items);
}

static int excuse_variable(Guarding *guarding, uint32_t number, uint32_t without);

// Whether an excuse can hold before an affinity group has started.
static bool holds_at_start(const Problem *problem, const Excuse *excuse, uint32_t rule) {
    for (vec_each(const U32Vec, place, &excuse->blocked)) {
        bool holds = false;

        for (vec_each(const uint32_t, number, place)) {
            const Guard *guard = &problem->guards.items[*number];

            holds |= guard->kind != GUARD_AFFINITY || guard->index != rule;
        }
        if (!holds)
            return false;
    }
    return true;
}

typedef Vec(const Column *) Columns;

// Whether one of the items in the column may be there, taints considered, before the affinity group has started.
static bool bears_taints(Problem *problem, const Column *column, uint32_t items, uint32_t rule) {
    uint32_t soft =
        column->node == INDEX_NONE ? problem->families.items[column->family].soft : problem->node_soft[column->node];

    for (uint32_t i = 0; i < problem->items.count; i++) {
        uint32_t excuse;

        if (!(items >> i & 1) || !content_of(problem, column->content, i))
            continue;
        if (!(soft >> i & 1))
            return true;
        excuse = exact_soft_excuse(problem, i, column->cell);
        if (holds_at_start(problem, &problem->excuses.items[excuse], rule))
            return true;
    }
    return false;
}

// The columns in the domain that may have the group's first pod, as far as taints are concerned.
static Columns columns_of_group(Guarding *guarding, uint32_t number, uint32_t domain) {
    Problem *problem = guarding->problem;
    const AffinityRule *rule = &problem->affinities.items[number];
    Columns columns = {0};

    for (vec_each(const Column, column, &problem->columns)) {
        uint32_t at = column_domain(problem, column, rule->key);

        if ((at == domain || at == DOMAIN_OPEN) && bears_taints(problem, column, rule->owners | rule->others, number))
            vec_push(problem->world.arena, &columns, column);
    }
    return columns;
}

// 1 only where one of the columns is used that have the excuse, and it holds before the group has started.
static void add_starter(Guarding *guarding, uint32_t row, const Columns *columns, uint32_t excuse, uint32_t rule) {
    int starter = program_variable(guarding->program, 1), holds = excuse_variable(guarding, excuse, rule);
    uint32_t used = program_row(guarding->program, -INFINITY, 0), held = program_row(guarding->program, -INFINITY, 0);

    program_term(guarding->program, row, starter, 1);
    program_term(guarding->program, held, starter, 1);
    program_term(guarding->program, held, holds, -1);
    program_term(guarding->program, used, starter, 1);
    for (vec_each(const Column *const, column, columns)) {
        if (judge_symbols_contain(&(*column)->excuses.some, excuse))
            program_term(guarding->program, used, column_variable(guarding, *column), -1);
    }
}

// 1 only where the group has pods in the domain on a node that one of them could be the first on.
static void guard_affinity(Guarding *guarding, const Guard *guard, int variable) {
    Problem *problem = guarding->problem;
    Columns columns = columns_of_group(guarding, guard->index, guard->domain);
    uint32_t row = program_row(guarding->program, 0, INFINITY); // starters ≥ variable
    U32Vec done = {0};

    program_term(guarding->program, row, variable, -1);
    for (vec_each(const Column *, column, &columns)) {
        if ((*column)->excuses.some.count == 0)
            program_term(guarding->program, row, column_variable(guarding, *column), 1);
        for (vec_each(const uint32_t, excuse, &(*column)->excuses.some)) {
            if (judge_symbols_contain(&done, *excuse) ||
                !holds_at_start(problem, &problem->excuses.items[*excuse], guard->index))
                continue;
            vec_push(problem->world.arena, &done, *excuse);
            add_starter(guarding, row, &columns, *excuse, guard->index);
        }
    }
}

static int guard_variable(Guarding *guarding, uint32_t number) {
    const Guard *guard = &guarding->problem->guards.items[number];
    int variable = guarding->of_guards[number];

    if (variable)
        return variable;
    variable = guarding->of_guards[number] = program_variable(guarding->program, 1);
    switch (guard->kind) {
    case GUARD_LIMIT:
        guard_served(guarding, guard->index, variable);
        break;
    case GUARD_SPREAD:
        guard_spread(guarding, guard, variable);
        break;
    case GUARD_ANTI:
        guard_anti(guarding, guard, variable);
        break;
    case GUARD_AFFINITY:
        guard_affinity(guarding, guard, variable);
        break;
    }
    return variable;
}

// 1 only where each of the places is blocked; `without`: otherwise than by the start of that affinity group.
static int excuse_variable(Guarding *guarding, uint32_t number, uint32_t without) {
    const Problem *problem = guarding->problem;
    const Excuse *excuse = &problem->excuses.items[number];
    int variable = without == INDEX_NONE ? guarding->of_excuses[number] : 0;

    if (variable)
        return variable;
    variable = program_variable(guarding->program, 1);
    if (without == INDEX_NONE)
        guarding->of_excuses[number] = variable;
    for (vec_each(const U32Vec, place, &excuse->blocked)) {
        uint32_t row = program_row(guarding->program, -INFINITY, 0); // excuse ≤ Σ of the guards

        program_term(guarding->program, row, variable, 1);
        for (vec_each(const uint32_t, guard, place)) {
            const Guard *of = &problem->guards.items[*guard];

            if (of->kind != GUARD_AFFINITY || of->index != without)
                program_term(guarding->program, row, guard_variable(guarding, *guard), -1);
        }
    }
    return variable;
}

// times ≤ most × Σ of the excuses.
static void add_excuses(Guarding *guarding, const Column *column, const uint32_t *excuses, uint32_t count) {
    int variable = column_variable(guarding, column);
    uint32_t row = program_row(guarding->program, -INFINITY, 0);

    program_term(guarding->program, row, variable, 1);
    for (uint32_t i = 0; i < count; i++)
        program_term(guarding->program, row, excuse_variable(guarding, excuses[i], INDEX_NONE),
                     -guarding->program->most.items[variable]);
}

const int *exact_add_guard_rows(Problem *problem, Program *program, int first) {
    Guarding guarding = {.problem = problem, .program = program, .first = first};

    guarding.of_guards = arena_array(problem->world.arena, int, problem->guards.count + 1);
    guarding.of_excuses = arena_array(problem->world.arena, int, problem->excuses.count + 1);
    for (vec_each(const Column, column, &problem->columns)) {
        if (column->excuses.some.count)
            add_excuses(&guarding, column, column->excuses.some.items, column->excuses.some.count);
        for (vec_each(const uint32_t, excuse, &column->excuses.all))
            add_excuses(&guarding, column, excuse, 1);
    }
    return guarding.of_guards;
}
