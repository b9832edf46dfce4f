// The strategy that asks what each pod adds to the price (STRATEGY_MARGINAL_PRICE).
#pragma once

#include "sched/bin/bin_index.h"
#include "sched/solver.h"

// Where a class comes in the order of placing: least freedom first, then largest first.
typedef struct {
    uint32_t class, freedom;
    double size;
} ClassOrder;

// Fills the order of every class. O(classes × dims).
void marginal_order(Solver *solver, ClassOrder *order);

// Tells the strategy that `count` pods were put on a bin (negative: taken away); INDEX_NONE: somewhere.
void marginal_note(Solver *solver, uint32_t bin, int32_t count);

// A bin that takes no more pods.
void marginal_forget(Solver *solver, uint32_t bin);

// Forgets what the strategy knows of the bins, when they have changed without its notice or are done with.
void marginal_drop(Solver *solver);

// Starts to keep track of the bins afresh.
void marginal_renew(Solver *solver);

// How much a pod of the class matters: its share of all that is asked for, summed over resources.
double marginal_size(const Solver *solver, const PodClass *class);

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
