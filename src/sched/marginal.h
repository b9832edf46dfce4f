// The strategy that asks what each pod adds to the price (STRATEGY_MARGINAL_PRICE).
#pragma once

#include "sched/racks.h"
#include "sched/solver.h"

// Where a class comes in the order of placing: least freedom first, then largest first.
typedef struct {
    uint32_t class, freedom;
    double size;
} ClassOrder;

// Fills the order of every class. O(classes × dims).
void marginal_order(Solver *solver, ClassOrder *order);

// Tells the strategy that `count` pods were put on a bin.
void marginal_note(Solver *solver, uint32_t bin, uint32_t count);
