// Knapsacks: the counts of items that fit into one node of a kind and are worth most together, and a proven upper
// bound.
//
// There are three bounds, each tighter than the one before:
// - The linear relaxation gives multipliers, a price per unit of each dimension. With any multipliers ≥ 0 a content is
//   worth at most  multipliers · room + Σ over items of most × max(0, worth − multipliers · size),  so errors of the
//   simplex only make the bound looser.
// - A dynamic program over the dimension whose room is worth most counts whole items in that dimension and has
//   multipliers for the others. Sizes are rounded down to its units, so that no content that fits is lost.
// - Branch and bound decides item by item, with the dynamic program as its bound.
// Large nodes have too many contents for branch and bound: there, contents are found by completing the solution of the
// relaxation and by exchanging pairs of items, and the bound is that of the relaxation.
#pragma once

#include "sched/packing/simplex.h"

typedef struct {
    const Packing *packing;
    Simplex simplex;
    struct KnapsackSearch *search; // work space
    uint64_t work;                 // elementary operations so far, about a nanosecond each
} Knapsack;

void knapsack_init(Knapsack *knapsack, Arena *arena, const Packing *packing);

typedef struct {
    const double *worth;  // per item, ≥ 0
    const uint32_t *left; // per item: how many there are; NULL: as many as in the packing
    double target;        // only contents worth more are searched
    uint32_t steps;       // steps of branching; 0: only the relaxation
    bool polish;          // when the steps are used up, find contents by rounding and exchanging
} KnapsackQuestion;

typedef struct {
    double bound; // no content is worth more
    double value; // worth of the content that was found; 0: none above the target
} KnapsackAnswer;

// `ret_counts` (per item) gets the best content found above the target, else zeros.
// O(pivots × items × dims + items × table + steps × dims).
KnapsackAnswer knapsack_solve(Knapsack *knapsack, uint32_t kind, const KnapsackQuestion *question,
                              uint32_t *ret_counts);
