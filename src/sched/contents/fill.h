// Which contents each place can hold.
#pragma once

#include "sched/contents/problem.h"

// Fills the contents of all places, and [cell * contents + content] the least price of a claim that nothing limits
// (INFINITY: there is none); NULL: that takes more than `steps`. Claims that nothing limits keep no list of their own.
double *small_fill(SmallProblem *problem, uint64_t steps);

// Whether limits or supplies count the claim.
bool small_is_charged(const SmallPlace *claim);
