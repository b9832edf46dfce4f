// Nodes are filled in turn, those with most pods first, until no pod finds its place: pods may wait for others that
// their rules ask for. Pods with rules come before those that these rules count.
#include "sched/contents/deal_place.h"

#include "sched/bin/claim.h"
#include "sched/bin/settle.h"
#include "sched/place/put.h"

#include <stdlib.h>

typedef struct {
    Solver *solver;
    const Deal *deal;
    DealManner manner;
    const uint32_t *levels;
    uint32_t *bins;  // per node: its bin; INDEX_NONE: not open yet
    uint32_t **left; // per node and part: pods to be placed
    uint32_t *order; // of nodes
} Dealing;

// --- one part

// The heaviest pool, of those heavier than one, that could open a claim for a pod of the class now; NULL: none could.
static Pool *find_heavier(Solver *solver, const Pool *than, uint32_t number, Alternatives variants) {
    const PodClass *class = &solver->classes.classes.items[number];

    for (vec_each(Pool, pool, &solver->pools)) { // heaviest first
        if (pool->pool->weight <= than->pool->weight)
            return NULL;
        for (uint32_t i = variants.first; i < variants.first + variants.count; i++) {
            const Variant *variant = class_variant(class, i);

            if (bitset_has(solver->tolerated_pools + (size_t)variant->tolerations * solver->pool_words, pool->number) &&
                claim_may_open(solver, pool, class, variant))
                return pool;
        }
    }
    return NULL;
}

// The pool of a claim for pods of a class; NULL: none, since the pool's weight decides before the term. (Of one term
// place/outweighed.h asks, at the end.)
static Pool *choose_pool(const Dealing *dealing, Pool *dealt, uint32_t class, Alternatives variants) {
    bool heaviest = dealing->manner == DEAL_IN_HEAVIEST_POOLS;
    Pool *heavier = heaviest || variants.count > 1 ? find_heavier(dealing->solver, dealt, class, variants) : NULL;

    return heavier && !heaviest ? NULL : heavier ? heavier : dealt;
}

// Opens a claim of the deal with pods of a class.
static uint32_t open_claim(const Dealing *dealing, const DealNode *node, uint32_t class, Alternatives variants,
                           uint32_t want, uint32_t *ret_bin) {
    enum { RESERVED_FIRST = 0, RESERVED_LAST = 2 }; // of Solver.attempt (bin/claim.c)
    Solver *solver = dealing->solver;
    Pool *pool = choose_pool(dealing, node->pool, class, variants);
    uint32_t attempt = solver->attempt, put;

    if (!pool)
        return 0;
    solver->attempt = node->reserved ? RESERVED_FIRST : RESERVED_LAST;
    solver->opening = dealing->manner == DEAL_IN_DOMAINS ? node->domains : node->offering;
    put = put_on_claim(solver, pool, class, variants, want, ret_bin);
    solver->opening = LABEL_SET_EMPTY;
    solver->attempt = attempt;
    return put;
}

// Puts pods of a part on its node, under the variants that give up the fewest preferences.
static bool put_part(const Dealing *dealing, uint32_t number, uint32_t index) {
    const DealNode *node = &dealing->deal->nodes.items[number];
    const DealPart *part = &node->parts.items[index];
    const PodClass *class = &dealing->solver->classes.classes.items[part->class];
    uint32_t level = dealing->levels[part->class], *left = &dealing->left[number][index], *bin = &dealing->bins[number],
             put = 0;
    Alternatives variants;

    if (!*left || (*bin == INDEX_NONE && !part->opens))
        return false;
    for (uint32_t first = 0; first < class->variants.count && !put; first += variants.count) {
        variants = variant_alternatives(class, first);
        if (variant_level(class, first) > level)
            continue;
        put = *bin == INDEX_NONE ? open_claim(dealing, node, part->class, variants, *left, bin)
                                 : put_on_bin(dealing->solver, *bin, part->class, variants, *left);
    }
    *left -= put;
    return put > 0;
}

// --- all nodes

static bool has_rules(const Solver *solver, uint32_t class) {
    return class_variant(&solver->classes.classes.items[class], 0)->groups.count > 0;
}

// One pass over all nodes. `ruled`: only pods with rules between pods. Returns whether any pod was placed.
static bool put_some(const Dealing *dealing, bool ruled) {
    bool any = false;

    for (uint32_t i = 0; i < dealing->deal->nodes.count && !budget_is_over(&dealing->solver->budget); i++) {
        uint32_t number = dealing->order[i];
        const DealNode *node = &dealing->deal->nodes.items[number];

        for (uint32_t k = 0; k < node->parts.count; k++)
            any |= (!ruled || has_rules(dealing->solver, node->parts.items[k].class)) && put_part(dealing, number, k);
    }
    return any;
}

static int compare_nodes(const void *a, const void *b, void *context) {
    const Dealing *dealing = context;
    const Deal *deal = dealing->deal;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t more = deal->nodes.items[x].pods, pods = deal->nodes.items[y].pods;

    return more != pods ? (more < pods) - (more > pods) : (x > y) - (x < y);
}

static void begin(Dealing *dealing, Arena *scratch) {
    const Deal *deal = dealing->deal;

    dealing->bins = arena_array(scratch, uint32_t, deal->nodes.count);
    dealing->order = arena_array(scratch, uint32_t, deal->nodes.count);
    dealing->left = arena_alloc_array(scratch, sizeof *dealing->left, deal->nodes.count);
    for (uint32_t i = 0; i < deal->nodes.count; i++) {
        const DealNode *node = &deal->nodes.items[i];

        dealing->order[i] = i;
        dealing->bins[i] = node->bin;
        dealing->left[i] = arena_array(scratch, uint32_t, node->parts.count);
        for (uint32_t k = 0; k < node->parts.count; k++)
            dealing->left[i][k] = node->parts.items[k].count;
    }
    if (deal->nodes.count)
        qsort_r(dealing->order, deal->nodes.count, sizeof *dealing->order, compare_nodes, dealing);
}

void deal_place(Solver *solver, const Deal *deal, DealManner manner, const uint32_t *levels) {
    Arena scratch = {0};
    Dealing dealing = {.solver = solver, .deal = deal, .manner = manner, .levels = levels};

    begin(&dealing, &scratch);
    while (put_some(&dealing, true) || put_some(&dealing, false) || (deal->settles && settle_domains(solver)))
        continue;
    arena_free(&scratch);
}

uint32_t *deal_levels(const Solver *solver, Arena *arena) {
    const PodClassVec *classes = &solver->classes.classes;
    uint32_t *levels = arena_array(arena, uint32_t, classes->count);

    for (uint32_t i = 0; i < classes->count; i++)
        levels[i] = classes->items[i].placed ? UINT32_MAX : 0;
    for (vec_each(const Bin, bin, &solver->bins)) {
        for (vec_each(const BinPods, pods, &bin->pods)) {
            uint32_t level = variant_level(&classes->items[pods->class], pods->variant);

            if (level < levels[pods->class])
                levels[pods->class] = level;
        }
    }
    return levels;
}
