// Rounds of prices and cuts.
#include "sched/packing/floor_search.h"

#include <math.h>

enum {
    STEPS_FIRST = 200, // steps of branching, and the factor by which they grow
    STEPS_FACTOR = 8,
    PATTERNS_FIRST = 1000, // the program starts with the most recent patterns
    ROUNDS_LEAST = 16,     // rounds that the work should suffice for
};
static const double SMOOTHING = 0.5, SETTLED = 1e-6;
static const double GOOD_ENOUGH = 1e-5; // relative gap of program and proof at which the search ends

typedef struct {
    FloorProof *proof;
    Patterns *patterns;
    Master master;
    uint32_t steps_most;
    uint32_t *steps;      // per kind: steps of branching
    uint64_t work_before; // work of earlier programs
    uint64_t branching;   // work that a round may spend before it leaves the contents of further kinds relaxed
    bool *relaxed;        // per kind: branching was not finished, and mixes stand for its contents
    double *asked;        // per item: prices of the present round
    double *bounds;       // per kind: no content is worth more at those prices
    double *mix;          // per item: work space
    Arena scratch;
    MasterColumnVec columns; // columns of the program
    MasterColumnVec fresh;   // columns to be added
    Vec(bool) is_mix;        // parallel to columns, then fresh
    Vec(bool) in_program;    // per pattern
} FloorSearch;

// Adds the solution of the kind's relaxation as a column.
static void add_mix(FloorSearch *search, uint32_t kind) {
    uint32_t count = 0, most = search->patterns->packing->items.count;
    uint32_t *items = arena_array(&search->scratch, uint32_t, most);
    double *counts = arena_array(&search->scratch, double, most);

    simplex_solution(&search->patterns->knapsack.simplex, search->mix);
    for (uint32_t item = 0; item < most; item++) {
        if (search->mix[item] <= 1e-9)
            continue;
        items[count] = item;
        counts[count++] = search->mix[item];
    }
    vec_push(&search->scratch, &search->fresh, (MasterColumn){kind, count, items, counts});
    vec_push(&search->scratch, &search->is_mix, true);
}

// Adds the pattern as a column unless it is one.
static void add_pattern(FloorSearch *search, uint32_t number) {
    while (search->in_program.count <= number)
        vec_push(&search->scratch, &search->in_program, false);
    if (search->in_program.items[number])
        return;
    search->in_program.items[number] = true;
    pattern_to_column(search->patterns, &search->scratch, number, vec_add(&search->scratch, &search->fresh));
    vec_push(&search->scratch, &search->is_mix, false);
}

// Computes the bound of the kind's contents at the prices, and adds a column that violates it.
static void ask_kind(FloorSearch *search, uint32_t kind) {
    Knapsack *knapsack = &search->patterns->knapsack;
    KnapsackQuestion question = {.worth = search->asked,
                                 .target = search->patterns->packing->kinds.items[kind].price * (1 + SETTLED),
                                 .steps = search->relaxed[kind] ? 0 : search->steps[kind]};
    KnapsackAnswer answer = knapsack_solve(knapsack, kind, &question, search->patterns->counts);

    search->bounds[kind] = answer.bound;
    if (answer.bound <= question.target)
        return;
    if (answer.value > 0)
        add_pattern(search, patterns_add(search->patterns, kind, search->patterns->counts));
    if (answer.bound > answer.value * (1 + SETTLED)) {
        search->relaxed[kind] = true;
        add_mix(search, kind);
    }
}

static bool solve_with(FloorSearch *search, MasterColumnVec *fresh) {
    master_add(&search->master, fresh);
    for (vec_each(MasterColumn, column, fresh))
        vec_push(&search->scratch, &search->columns, *column);
    fresh->count = 0;
    return master_solve(&search->master);
}

// Where branching would take most of the work in a few rounds, kinds begin relaxed: only those whose mixes the program
// uses are worth it (choose_retries).
static void relax(FloorSearch *search, uint32_t kind) {
    if (search->relaxed[kind] || search->steps[kind] > STEPS_FIRST)
        return;
    search->relaxed[kind] = true;
    search->steps[kind] = STEPS_FIRST / STEPS_FACTOR;
}

// Searches all kinds at prices between the proven ones and those of the program, and returns the number of columns that
// were added. 0 also when the program could not be solved.
static uint32_t next_round(FloorSearch *search, double smoothing) {
    const Packing *packing = search->patterns->packing;
    uint64_t end = search->patterns->knapsack.work + search->branching;
    uint32_t added;

    for (uint32_t item = 0; item < packing->items.count; item++)
        search->asked[item] = smoothing * search->proof->worth[item] + (1 - smoothing) * search->master.worth[item];
    for (uint32_t kind = 0; kind < packing->kinds.count; kind++) {
        if (!packing_spend(packing, 0))
            return 0; // without the bounds of all kinds nothing is proven
        if (search->patterns->knapsack.work > end)
            relax(search, kind);
        ask_kind(search, kind);
    }
    floor_proof_offer(search->proof, packing, search->asked, search->bounds);
    added = search->fresh.count;
    return added && solve_with(search, &search->fresh) ? added : 0;
}

// --- relaxed kinds

// Gives more steps of branching to relaxed kinds whose mixes the program uses, and returns whether there are any that
// may have more.
static bool choose_retries(FloorSearch *search, bool *ret_retried) {
    bool any = false;

    for (uint32_t i = 0; i < search->columns.count; i++) {
        uint32_t kind = search->columns.items[i].kind;

        if (!search->is_mix.items[i] || search->master.times[i] < 1e-9 || ret_retried[kind] ||
            search->steps[kind] >= search->steps_most)
            continue;
        search->steps[kind] *= STEPS_FACTOR;
        search->relaxed[kind] = false;
        ret_retried[kind] = true;
        any = true;
    }
    return any;
}

// Rebuilds the program without the mixes of kinds that get more steps.
static bool tighten(FloorSearch *search) {
    bool *retried = arena_array(&search->scratch, bool, search->patterns->packing->kinds.count);
    MasterColumnVec kept = {0};
    uint32_t at = 0;

    if (!choose_retries(search, retried))
        return false;
    for (uint32_t i = 0; i < search->columns.count; i++) {
        if (search->is_mix.items[i] && retried[search->columns.items[i].kind])
            continue;
        vec_push(&search->scratch, &kept, search->columns.items[i]);
        search->is_mix.items[at++] = search->is_mix.items[i];
    }
    search->is_mix.count = at;
    search->columns.count = 0;
    search->work_before += search->master.work;
    master_free(&search->master);
    master_init(&search->master, &search->scratch, search->patterns->packing);
    return solve_with(search, &kept);
}

// --- all together

static void run(FloorSearch *search, uint64_t work_end) {
    double smoothing = SMOOTHING;

    while (search->patterns->knapsack.work + search->master.work + search->work_before < work_end) {
        double before = search->master.value;
        uint32_t added = before - search->proof->value > GOOD_ENOUGH * before ? next_round(search, smoothing) : 0;

        if (!packing_spend(search->patterns->packing, 0))
            return;
        if (added && search->master.value < before * (1 - 1e-8)) {
            smoothing = SMOOTHING;
        } else if (added && smoothing > 0) {
            smoothing = smoothing > 0.1 ? smoothing / 2 : 0;
        } else if (smoothing > 0 && before - search->proof->value > GOOD_ENOUGH * before) {
            smoothing = 0; // nothing is violated at these prices: use those of the program
        } else {
            if (!tighten(search))
                return;
            smoothing = SMOOTHING;
        }
    }
}

void floor_proof_raise(FloorProof *proof, Patterns *patterns, const FloorEffort *effort) {
    const Packing *packing = patterns->packing;
    FloorSearch search = {.proof = proof,
                          .patterns = patterns,
                          .steps_most = effort->steps_most,
                          .branching = effort->work / ROUNDS_LEAST};

    search.relaxed = arena_array(&search.scratch, bool, packing->kinds.count);
    search.steps = arena_array(&search.scratch, uint32_t, packing->kinds.count);
    search.bounds = arena_array(&search.scratch, double, packing->kinds.count);
    search.asked = arena_array(&search.scratch, double, packing->items.count);
    search.mix = arena_array(&search.scratch, double, packing->items.count);
    for (uint32_t kind = 0; kind < packing->kinds.count; kind++) {
        search.relaxed[kind] = packing->kinds.items[kind].together != NULL; // too large for branching
        search.steps[kind] = search.relaxed[kind] ? effort->steps_most : STEPS_FIRST;
    }
    master_init(&search.master, &search.scratch, packing);
    for (uint32_t i = patterns->patterns.count > PATTERNS_FIRST ? patterns->patterns.count - PATTERNS_FIRST : 0;
         i < patterns->patterns.count; i++)
        add_pattern(&search, i);
    if (solve_with(&search, &search.fresh))
        run(&search, patterns->knapsack.work + effort->work);
    master_free(&search.master);
    arena_free(&search.scratch);
}
