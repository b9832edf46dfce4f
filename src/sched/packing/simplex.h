// A simplex method for the linear relaxation of one node's content, a program with few rows.
//
// maximise Σ worth x, subject to sizes · x ≤ room, 0 ≤ x ≤ most. Dense, with the inverse of the basis (dims × dims). It
// starts from the basis of the last solve for that kind, which stays feasible when worths change.
#pragma once

#include "sched/packing/packing.h"

typedef struct {
    const Packing *packing;
    uint32_t *bases;   // [kind * dims + place]: item, or SLACK(dim)
    uint64_t *at_most; // [kind * words]: items out of the basis that are at their upper bound
    bool *limited;     // per kind: the last solve had bounds by `left`
    uint32_t words;
    // For the kind that is being solved:
    uint32_t kind;
    uint32_t *basis;
    uint64_t *upper;
    const double *worth;
    const uint32_t *left;
    double *inverse;     // [place * dims + dim]
    double *values;      // per place
    double *column;      // work space, per place
    double *multipliers; // per dimension: the dual prices, at least 0; 0 where room is left
} Simplex;

void simplex_init(Simplex *simplex, Arena *arena, const Packing *packing);

// Sets `multipliers` and returns the number of pivots. `left`: how many of each item there are (NULL: no limit); with
// it the solve starts from the basis of slacks. Gives up after some pivots: the multipliers are valid then, but not the
// best. O(pivots × items × dims).
uint32_t simplex_solve(Simplex *simplex, uint32_t kind, const double *worth, const uint32_t *left);

// The counts of items in the solution, fractions included.
void simplex_solution(const Simplex *simplex, double *ret_counts);

// The upper bound of an item's count in the last solve.
static inline uint32_t simplex_most(const Simplex *simplex, uint32_t item) {
    uint32_t most = packing_most(simplex->packing, simplex->kind)[item];

    return simplex->left && simplex->left[item] < most ? simplex->left[item] : most;
}
