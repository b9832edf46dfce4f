// The best content of one node: given what each item is worth, which counts of items that fit into one node of a kind
// are worth most together, and a proof that none is worth more.
//
// Three bounds, each below the last:
// - the linear relaxation gives a price per unit of each dimension (multipliers). With any prices ≥ 0 a content is
// worth
//   at most  multipliers · room + Σ over items of most × max(0, worth − multipliers · size),  so what the simplex gets
//   wrong only makes the bound looser;
// - a table over the dimension whose room is worth most counts whole items in that dimension and keeps multipliers for
//   the others (sizes are rounded down to its units, so that nothing that fits is lost);
// - branch and bound decides item by item, with the table as its bound.
// Large nodes have too many contents to go through: there, contents are found by completing what the relaxation takes
// and by exchanging pairs of items, and the bound stays that of the relaxation.
#pragma once

#include "sched/packing/simplex.h"

typedef struct {
    const Packing *packing;
    Simplex simplex;
    struct KnapsackSearch *search; // work space
    uint64_t work;                 // elementary operations so far, about a nanosecond each: what efforts are counted in
} Knapsack;

void knapsack_init(Knapsack *knapsack, Arena *arena, const Packing *packing);

typedef struct {
    const double *worth;  // per item, ≥ 0
    const uint32_t *left; // per item: how many there are; NULL: as many as in the packing
    double target;        // where no content can be worth more, searching stops
    uint32_t steps;       // of branching; 0: only the relaxation
    bool polish;          // when the steps run out, find contents by rounding and exchanging
} KnapsackQuestion;

typedef struct {
    double bound; // no content is worth more, or at least none is worth more than the target
    double value; // of the content found; 0: none above the target was found
} KnapsackAnswer;

// `ret_counts` (per item) gets the best content found above the target, else zeros.
// O(pivots × items × dims + items × table + steps × dims).
KnapsackAnswer knapsack_solve(Knapsack *knapsack, uint32_t kind, const KnapsackQuestion *question,
                              uint32_t *ret_counts);
