// Fills nodes, opens claims, and tries refused places again.
#include "sched/packing/patterns_place.h"

#include "sched/bin/home_pool.h"
#include "sched/place/put.h"

#include <stdlib.h>

enum {
    REFUSALS_MAX = 32, // classes of an item that are tried for a place
    RETURNS_MAX = 8,   // times that refused places are tried again
};

// Places of an item in an open claim that were refused. A spread may allow them later.
typedef struct {
    uint32_t bin, item, count;
} Hole;

typedef struct {
    Solver *solver;
    const Packing *packing;
    Arena *scratch;
    const int32_t *home_weight; // per class; NULL: all pools weigh the same
    uint32_t *next_class;       // per item: the first of its classes that may have pods left
    Vec(Hole) holes;
} Placing;

// --- nodes that exist

static void fill_nodes(Placing *placing, uint32_t number) {
    Solver *solver = placing->solver;
    const PodClass *class = &solver->classes.classes.items[number];

    for (uint32_t bin = 0; bin < solver->node_count && class->placed < class->count; bin++)
        put_on_bin(solver, bin, number, variant_alternatives(class, 0), class->count - class->placed);
}

static int compare_items(const void *a, const void *b, void *context) {
    const Placing *placing = context;
    const double *x = placing->packing->scaled_sizes + (size_t) * (const uint32_t *)a * placing->packing->dims;
    const double *y = placing->packing->scaled_sizes + (size_t) * (const uint32_t *)b * placing->packing->dims;
    double m = 0, n = 0;

    for (uint32_t dim = 0; dim < placing->packing->resources; dim++) {
        m = x[dim] > m ? x[dim] : m;
        n = y[dim] > n ? y[dim] : n;
    }
    if (m != n)
        return m > n ? -1 : 1;
    return (*(const uint32_t *)a > *(const uint32_t *)b) - (*(const uint32_t *)a < *(const uint32_t *)b);
}

// Items, largest first, as small pods find room in what is left.
static uint32_t *order_items(Placing *placing, Arena *scratch) {
    uint32_t count = placing->packing->items.count, *order = arena_array(scratch, uint32_t, count);

    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    if (count)
        qsort_r(order, count, sizeof *order, compare_items, placing);
    return order;
}

static void fill_all_nodes(Placing *placing, const uint32_t *order) {
    for (uint32_t i = 0;
         i < placing->packing->items.count && placing->solver->node_count && !budget_is_over(&placing->solver->budget);
         i++) {
        for (vec_each(uint32_t, class, &placing->packing->items.items[order[i]].classes))
            fill_nodes(placing, *class);
    }
}

// --- claims

// Puts pods of the class into the bin (INDEX_NONE: opens one in the pool) and returns how many. Since patterns ignore
// weights, a claim of a lighter pool is opened only by a pod whose home pool it is (bin/home_pool.h).
static uint32_t put_class(Placing *placing, Pool *pool, uint32_t *bin, uint32_t number, uint32_t want) {
    const PodClass *class = &placing->solver->classes.classes.items[number];

    if (class->count - class->placed < want)
        want = class->count - class->placed;
    if (*bin != INDEX_NONE)
        return put_on_bin(placing->solver, *bin, number, variant_alternatives(class, 0), want);
    if (placing->home_weight && placing->home_weight[number] != pool->pool->weight)
        return 0;
    return put_on_claim(placing->solver, pool, number, variant_alternatives(class, 0), want, bin);
}

// Puts up to `want` pods of an item's classes into the bin and returns how many.
static uint32_t put_item(Placing *placing, Pool *pool, uint32_t *bin, uint32_t item, uint32_t want) {
    const U32Vec *classes = &placing->packing->items.items[item].classes;
    const PodClassVec *all = &placing->solver->classes.classes;
    uint32_t *first = &placing->next_class[item], refusals = 0, put = 0;

    while (*first < classes->count &&
           all->items[classes->items[*first]].placed == all->items[classes->items[*first]].count)
        ++*first;
    for (uint32_t i = *first; i < classes->count && put < want && refusals < REFUSALS_MAX;) {
        const PodClass *class = &all->items[classes->items[i]];
        uint32_t count =
            class->placed < class->count ? put_class(placing, pool, bin, classes->items[i], want - put) : 0;

        if (!count) { // next class; it counts as a refusal if the class had pods left
            refusals += class->placed < class->count;
            i++;
        }
        put += count;
    }
    return put;
}

// Opens one node by the pattern. False: no pod of its items can open it.
static bool open_node(Placing *placing, const Pattern *pattern) {
    Pool *pool = &placing->solver->pools.items[placing->packing->kinds.items[pattern->kind].pool];
    uint32_t bin = INDEX_NONE;

    for (uint32_t i = 0; i < pattern->part_count; i++) {
        const PatternPart *part = &pattern->parts[i];
        uint32_t put = put_item(placing, pool, &bin, part->item, part->count);

        if (put < part->count)
            vec_push(placing->scratch, &placing->holes, (Hole){bin, part->item, part->count - put});
    }
    return bin != INDEX_NONE;
}

// Tries the refused places again, and returns whether any was filled.
static bool fill_holes(Placing *placing) {
    uint32_t kept = 0;
    bool any = false;

    for (uint32_t i = 0; i < placing->holes.count; i++) {
        Hole hole = placing->holes.items[i];
        uint32_t put = hole.bin == INDEX_NONE ? hole.count : put_item(placing, NULL, &hole.bin, hole.item, hole.count);

        any |= hole.bin != INDEX_NONE && put;
        hole.count -= put;
        if (hole.count)
            placing->holes.items[kept++] = hole;
    }
    placing->holes.count = kept;
    return any;
}

static void open_claims(Placing *placing, const LpPlan *lp_plan) {
    for (uint32_t i = 0; i < lp_plan->plan.uses.count && !budget_is_over(&placing->solver->budget); i++) {
        const PatternUse *use = &lp_plan->plan.uses.items[i];
        const Pattern *pattern = &lp_plan->patterns.patterns.items[use->pattern];

        // Not kinds in limited supply: existing nodes are filled already, and any claim that is opened takes a
        // reservation.
        if (placing->packing->kinds.items[pattern->kind].supply != INDEX_NONE)
            continue;
        for (uint32_t time = 0; time < use->times && open_node(placing, pattern); time++)
            continue;
    }
}

void solver_place_patterns(Solver *solver, const LpPlan *lp_plan) {
    Arena scratch = {0};
    Placing placing = {.solver = solver,
                       .packing = &lp_plan->packing,
                       .scratch = &scratch,
                       .home_weight = class_home_weights(solver, &scratch),
                       .next_class = arena_array(&scratch, uint32_t, lp_plan->packing.items.count)};

    fill_all_nodes(&placing, order_items(&placing, &scratch));
    open_claims(&placing, lp_plan);
    for (uint32_t times = 0; times < RETURNS_MAX && fill_holes(&placing); times++)
        continue;
    arena_free(&scratch);
}
