// The contents that each place can hold.
#pragma once

#include "sched/contents/problem.h"

// Fills in the contents of the places, and returns, as [cell * contents + content], the least price of an unlimited
// claim (INFINITY: none can hold it). NULL: that takes more than `steps`. Only nodes and claims that are charged to
// limits or supplies have a list of contents.
double *small_fill(SmallProblem *problem, uint64_t steps);

// Whether the claim is charged to a limit of its pool or to a supply.
bool small_is_charged(const SmallPlace *claim);
