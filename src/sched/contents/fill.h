// The contents that each place can hold.
#pragma once

#include "sched/contents/problem.h"

// The cheapest unlimited claims, as [cell * contents + content].
typedef struct {
    double *prices;   // INFINITY: none can hold the content
    uint32_t *claims; // into SmallProblem.claims; undefined where no claim can hold the content
} SmallBase;

// Fills in the contents of the places. False: that takes more than `steps`. Only nodes and claims that are charged to
// limits or supplies have a list of contents.
bool small_fill(SmallProblem *problem, uint64_t steps, SmallBase *ret_base);

// Whether the claim is charged to a limit of its pool or to a supply.
bool small_is_charged(const SmallPlace *claim);
