// Rounds of column generation.
#include "sched/packing/columns.h"

#include <math.h>
#include <stdlib.h>

enum { KINDS_ASKED = 16 }; // kinds with branching in a round; more while nothing is found
static const double SMOOTHING = 0.3, SETTLED = 1e-6;

void columns_init(Columns *columns, Patterns *patterns, const FloorProof *proof) {
    *columns = (Columns){.patterns = patterns, .proof = proof};
    columns->asked = arena_array(patterns->arena, double, patterns->packing->items.count);
    master_init(&columns->master, patterns->arena, patterns->packing);
}

void columns_free(Columns *columns) {
    master_free(&columns->master);
}

static bool solve(Columns *columns) {
    Arena scratch = {0};
    MasterColumnVec fresh = {0};

    for (uint32_t i = columns->master.columns; i < columns->patterns->patterns.count; i++)
        pattern_to_column(columns->patterns, &scratch, i, vec_add(&scratch, &fresh));
    master_add(&columns->master, &fresh);
    arena_free(&scratch);
    return master_solve(&columns->master);
}

bool columns_solve(Columns *columns, const uint32_t *counts) {
    master_set_counts(&columns->master, counts);
    return solve(columns);
}

// --- a round

typedef struct {
    uint32_t kind;
    double score;
} Ranked;

static int compare_ranked(const void *a, const void *b) {
    const Ranked *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

// The main kinds sorted by the bound of the relaxation relative to the price, highest first.
static Ranked *rank_kinds(Columns *columns, Arena *scratch, const uint32_t *counts) {
    const Packing *packing = columns->patterns->packing;
    Ranked *ranked = arena_array(scratch, Ranked, packing->main_kinds.count);
    KnapsackQuestion question = {.worth = columns->asked, .left = counts};

    for (uint32_t i = 0; i < packing->main_kinds.count; i++) {
        uint32_t kind = packing->main_kinds.items[i];
        double bound = knapsack_solve(&columns->patterns->knapsack, kind, &question, columns->patterns->counts).bound;

        ranked[i] = (Ranked){kind, bound / fmax(packing->kinds.items[kind].price, 1e-9)};
    }
    if (packing->main_kinds.count)
        qsort(ranked, packing->main_kinds.count, sizeof *ranked, compare_ranked);
    return ranked;
}

// Searches the kinds, best first, for patterns worth more than they cost, and returns the number of new ones.
static uint32_t search(Columns *columns, const uint32_t *counts, uint32_t steps) {
    Patterns *patterns = columns->patterns;
    Arena scratch = {0};
    const Ranked *ranked = rank_kinds(columns, &scratch, counts);
    uint32_t before = patterns->patterns.count;

    for (uint32_t i = 0; i < patterns->packing->main_kinds.count && ranked[i].score > 1 + SETTLED; i++) {
        uint32_t kind = ranked[i].kind;
        KnapsackQuestion question = {.worth = columns->asked,
                                     .left = counts,
                                     .target = patterns->packing->kinds.items[kind].price * (1 + SETTLED),
                                     .steps = steps,
                                     .polish = true};

        if (i >= KINDS_ASKED && patterns->patterns.count > before)
            break;
        if (knapsack_solve(&patterns->knapsack, kind, &question, patterns->counts).value > 0)
            patterns_add(patterns, kind, patterns->counts);
    }
    arena_free(&scratch);
    return patterns->patterns.count - before;
}

// Sets the prices of a round: between the proven ones (smoothing 1) and the duals (0).
static void choose_prices(Columns *columns, double smoothing) {
    for (uint32_t item = 0; item < columns->patterns->packing->items.count; item++)
        columns->asked[item] = smoothing * columns->proof->worth[item] + (1 - smoothing) * columns->master.worth[item];
}

uint64_t columns_work(const Columns *columns) {
    return columns->patterns->knapsack.work + columns->master.work;
}

void columns_improve(Columns *columns, const uint32_t *counts, const ColumnEffort *effort) {
    uint64_t end = columns_work(columns) + effort->work;
    uint32_t steps = effort->steps;
    double smoothing = SMOOTHING;

    if (!columns_solve(columns, counts))
        return;
    while (columns_work(columns) < end && packing_spend(columns->patterns->packing, 0)) {
        double before = columns->master.value;
        uint32_t found;

        choose_prices(columns, smoothing);
        found = search(columns, counts, steps);
        if (found && !solve(columns))
            return;
        if (columns->master.value < before * (1 - 1e-7)) {
            smoothing = SMOOTHING;
        } else if (smoothing > 0) {
            smoothing = smoothing > 0.1 ? smoothing / 2 : 0;
        } else if (!found) { // optimal, or the missing contents are hard to find
            if (steps >= effort->steps_most)
                return;
            steps = steps * 4 < effort->steps_most ? steps * 4 : effort->steps_most;
        }
    }
}
