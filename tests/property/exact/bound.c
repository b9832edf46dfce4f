// The price of the cheapest packing of every content without rules between nodes, and columns that are too expensive.
#include "exact/problem.h"

#include <math.h>

typedef struct {
    const Problem *problem;
    const double *price; // of one node with a content
    const double *rest;  // of what is left, by content
    uint32_t whole;      // the content that is split
    uint32_t first;      // item of which the node must have one, INDEX_NONE: none
} Split;

// The cheapest way to split a content into one node and the rest.
static double best_split(const Split *split, uint32_t item, uint32_t content) {
    const Problem *problem = split->problem;
    double best = INFINITY;

    if (item == problem->items.count)
        return split->price[content] + split->rest[split->whole - content];
    for (uint32_t i = item == split->first; i <= content_of(problem, split->whole, item); i++) {
        double price = best_split(split, item + 1, content + i * problem->items.items[item].stride);

        best = price < best ? price : best;
    }
    return best;
}

static uint32_t first_item(const Problem *problem, uint32_t content) {
    uint32_t item = 0;

    while (content_of(problem, content, item) == 0)
        item++;
    return item;
}

// The least price of each content with claims alone.
static void price_claims(const Problem *problem, double *prices, double *ret_best) {
    for (uint32_t i = 0; i < problem->content_count; i++)
        prices[i] = INFINITY;
    for (vec_each(const Column, column, &problem->columns)) {
        if (column->node == INDEX_NONE && column->price < prices[column->content])
            prices[column->content] = column->price;
    }
    ret_best[0] = 0;
    for (uint32_t content = 1; content < problem->content_count; content++) {
        Split split = {problem, prices, ret_best, content, first_item(problem, content)};

        ret_best[content] = best_split(&split, 0, 0);
    }
}

// The least prices with one more existing node.
static void add_node(const Problem *problem, uint32_t node, double *prices, const double *before, double *ret_best) {
    for (uint32_t i = 0; i < problem->content_count; i++)
        prices[i] = i ? INFINITY : 0;
    for (vec_each(const Column, column, &problem->columns)) {
        if (column->node == node)
            prices[column->content] = 0;
    }
    for (uint32_t content = 0; content < problem->content_count; content++) {
        Split split = {problem, prices, before, content, INDEX_NONE};

        ret_best[content] = best_split(&split, 0, 0);
    }
}

static double pairs_of_contents(const Problem *problem) {
    double pairs = 1;

    for (uint32_t i = 0; i < problem->items.count; i++)
        pairs *= (problem->items.items[i].count + 1) * (problem->items.items[i].count + 2) / 2.0;
    return pairs;
}

void exact_drop_dear_columns(Problem *problem, double cap) {
    Arena *arena = problem->world.arena;
    double *prices, *best, *next, *held;

    if (pairs_of_contents(problem) > 2e7)
        return;
    prices = arena_array(arena, double, problem->content_count);
    best = arena_array(arena, double, problem->content_count);
    next = arena_array(arena, double, problem->content_count);
    price_claims(problem, prices, best);
    for (uint32_t node = 0; node < problem->world.nodes.count; node++) {
        if (problem->node_accepts[node] == 0)
            continue;
        add_node(problem, node, prices, best, next);
        held = best;
        best = next;
        next = held;
    }
    problem->columns = (ColumnVec){0};
    for (vec_each(const Column, column, &problem->every)) {
        if (column->price + best[problem->all - column->content] <= cap)
            vec_push(arena, &problem->columns, *column);
    }
}
