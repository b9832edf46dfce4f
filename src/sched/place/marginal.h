// The strategy that asks what each pod adds to the price (STRATEGY_MARGINAL_PRICE).
#pragma once

#include "sched/bin/bin_index.h"
#include "sched/solver.h"

// How much choice a class has, the least first.
typedef enum {
    FREEDOM_SELF,    // keeps to its own pods on a node, or away from them
    FREEDOM_DOMAINS, // rules about domains
    FREEDOM_BINS,    // rules about single bins
    FREEDOM_ALL,
} Freedom;

// Where a class comes in the order of placing: least freedom first, then largest first.
typedef struct {
    uint32_t class;
    Freedom freedom;
    double size;
} ClassOrder;

// Fills the order of every class. O(classes × dims).
void marginal_order(Solver *solver, ClassOrder *order);

// Where pods that leave a bin may go.
typedef struct {
    uint32_t from; // this bin excepted; INDEX_NONE: every bin
    uint32_t
        state; // of that bin: pods that are counted per domain stay in its domains; LABEL_STATE_NONE: none is counted
    int32_t weight;   // of their NodePool: claims of lighter ones are not for them
    float most_price; // what the claims that take them may add to the price, each; INFINITY: new claims are allowed too
} MoveRules;

// Moves pods that have left their bins; how many found a place.
uint32_t marginal_move(Solver *solver, uint32_t class, uint32_t variant, uint32_t want, const MoveRules *rules);

// As the strategies of place/first_fit.h.
uint32_t marginal_place(Solver *solver, uint32_t class, uint32_t variant, uint32_t want, bool *ret_later);
