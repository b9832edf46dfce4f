// A simplex for programs with few rows: the linear relaxation of one node's content.
//
// maximise Σ worth x, subject to sizes · x ≤ room, 0 ≤ x ≤ most. Dense, with the inverse of the basis (dims × dims);
// starts from the basis of the last solve for that kind, which stays feasible whatever the items are worth.
#pragma once

#include "sched/packing/packing.h"

typedef struct {
    const Packing *packing;
    uint32_t *bases;   // [kind * dims + place]: item, or SLACK(dim)
    uint64_t *at_most; // [kind * words]: items out of the basis that are at their upper bound
    bool *limited;     // per kind: the last solve had other bounds
    uint32_t words;
    // Of the kind that is being solved:
    uint32_t kind;
    uint32_t *basis;
    uint64_t *upper;
    const double *worth;
    const uint32_t *left;
    double *inverse;     // [place * dims + dim]
    double *values;      // per place
    double *column;      // work, per place
    double *multipliers; // per dimension: the answer, at least 0; 0 where nothing runs out
} Simplex;

void simplex_init(Simplex *simplex, Arena *arena, const Packing *packing);

// Leaves the answer in `multipliers`; returns the pivots made. `left` (per item, NULL: no limit) says how many there
// are; with it the solve starts from nothing. Gives up after some pivots: the multipliers are then less good, not
// wrong. O(pivots × items × dims).
uint32_t simplex_solve(Simplex *simplex, uint32_t kind, const double *worth, const uint32_t *left);

// How many of each item the answer takes, fractions included.
void simplex_solution(const Simplex *simplex, double *ret_counts);

// How many of an item there can be in the node that was solved for.
static inline uint32_t simplex_most(const Simplex *simplex, uint32_t item) {
    uint32_t most = packing_most(simplex->packing, simplex->kind)[item];

    return simplex->left && simplex->left[item] < most ? simplex->left[item] : most;
}
