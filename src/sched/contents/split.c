// Dynamic programming over contents: what is left after the node that has the first pod, or after a node that exists.
#include "sched/contents/split.h"

#include <math.h>

static uint64_t sum_pairs(const SmallProblem *problem) {
    double pairs = 1;

    for (uint32_t item = 0; item < problem->item_count; item++)
        pairs *= (problem->items[item].count + 1) * (problem->items[item].count + 2) / 2.0;
    return pairs < 1e15 ? (uint64_t)pairs : UINT64_C(1000000000000000);
}

bool small_split_init(SmallSplit *split, const SmallProblem *problem, uint64_t steps, uint32_t *ret_left) {
    uint64_t all = sum_pairs(problem);
    uint32_t pods = 0;

    *split = (SmallSplit){.problem = problem, .pairs = all};
    if (all > steps)
        return false;
    for (uint32_t item = 0; item < problem->item_count; item++)
        pods += problem->items[item].count;
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        const SmallPlace *node = &problem->nodes.items[i];
        uint64_t cost = (uint64_t)node->contents.count * problem->content_count;

        ret_left[i] = node->count < pods ? node->count : pods;
        for (; ret_left[i] && all + cost <= steps; all += cost, ret_left[i]--)
            vec_push(problem->arena, &split->stages, i);
    }
    split->pairs = all;
    split->rest = arena_array(problem->arena, double, (size_t)(split->stages.count + 1) * problem->content_count);
    split->taken = arena_array(problem->arena, uint32_t, (size_t)(split->stages.count + 1) * problem->content_count);
    return true;
}

// --- claims

typedef struct {
    const SmallProblem *problem;
    const double *prices, *rest;
    uint32_t whole;
    uint32_t parts[SMALL_ITEMS_MAX]; // of `whole`
    double best;
    uint32_t best_content;
} Search;

// Tries all parts of `whole` that begin with `content`, decided up to `item`.
static void try_parts(Search *search, uint32_t item, uint32_t content) {
    const SmallProblem *problem = search->problem;

    if (item == problem->item_count) {
        double price = search->prices[content] + search->rest[search->whole - content];

        if (price < search->best) {
            search->best = price;
            search->best_content = content;
        }
        return;
    }
    for (uint32_t part = 0; part <= search->parts[item]; part++)
        try_parts(search, item + 1, content + part * problem->items[item].stride);
}

static void deal_to_claims(SmallSplit *split, const double *prices) {
    const SmallProblem *problem = split->problem;
    Search search = {.problem = problem, .prices = prices, .rest = split->rest};

    split->rest[0] = 0;
    for (search.whole = 1; search.whole < problem->content_count; search.whole++) {
        uint32_t first = (uint32_t)__builtin_ctz(problem->items_of[search.whole]);

        for (uint32_t item = first; item < problem->item_count; item++)
            search.parts[item] = small_part(problem, search.whole, item);
        search.best = INFINITY;
        search.best_content = 0;
        for (uint32_t part = 1; part <= search.parts[first]; part++)
            try_parts(&search, first + 1, part * problem->items[first].stride);
        split->rest[search.whole] = search.best;
        split->taken[search.whole] = search.best_content;
    }
}

// --- nodes

static bool is_part(const SmallProblem *problem, uint32_t part, uint32_t whole) {
    for (uint32_t item = 0; item < problem->item_count; item++) {
        if (small_part(problem, part, item) > small_part(problem, whole, item))
            return false;
    }
    return true;
}

static void deal_to_node(SmallSplit *split, uint32_t stage, uint32_t whole, const double *prices) {
    const SmallProblem *problem = split->problem;
    const SmallPlace *node = &problem->nodes.items[split->stages.items[stage]];
    const double *before = split->rest + (size_t)stage * problem->content_count;
    double best = before[whole];
    uint32_t best_content = 0;

    for (vec_each(const uint32_t, content, &node->contents)) {
        double price;

        if (*content > whole)
            break;
        price = prices[*content] < INFINITY ? prices[*content] + before[whole - *content] : INFINITY;
        if (price < best && is_part(problem, *content, whole)) {
            best = price;
            best_content = *content;
        }
    }
    split->rest[(size_t)(stage + 1) * problem->content_count + whole] = best;
    split->taken[(size_t)(stage + 1) * problem->content_count + whole] = best_content;
}

double small_split_solve(SmallSplit *split, const double *claims, const double *nodes) {
    const SmallProblem *problem = split->problem;
    uint32_t last = problem->content_count - 1;

    deal_to_claims(split, claims);
    for (uint32_t stage = 0; stage < split->stages.count; stage++) {
        const double *prices =
            nodes + (size_t)problem->nodes.items[split->stages.items[stage]].cell * problem->content_count;
        bool whole_only = stage + 1 == split->stages.count; // nobody asks for less than all pods of the last

        for (uint32_t whole = whole_only ? last : 0; whole <= last; whole++)
            deal_to_node(split, stage, whole, prices);
    }
    return split->rest[(size_t)split->stages.count * problem->content_count + last];
}

void small_split_each(const SmallSplit *split, SmallUse *use, void *context) {
    const SmallProblem *problem = split->problem;
    uint32_t left = problem->content_count - 1;

    for (uint32_t stage = split->stages.count; stage-- > 0;) {
        uint32_t content = split->taken[(size_t)(stage + 1) * problem->content_count + left];

        if (content)
            use(context, split->stages.items[stage], content);
        left -= content;
    }
    for (; left; left -= split->taken[left])
        use(context, INDEX_NONE, split->taken[left]);
}
