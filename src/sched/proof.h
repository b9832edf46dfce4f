// Floors of a search's solutions (docs/design/floor.md).
#pragma once

#include "sched/search.h"

// The floor of plans that place the pods which the solver's solution places, $ per hour; NAN: not requested. The
// solution is not changed. The cost is bounded by steps, and by the part of the solve's budget for proofs.
double proof_floor(Search *search);

// Computes the early floor, which proof_is_cheapest compares with, and the deals (Search.deals) for the pods that the
// best solution so far places. Once per search, and only for few pods.
void proof_begin(Search *search);

// Whether the best solution so far places all pods and is proved to be the cheapest, so that the search can end. False
// if a short proof fails. The floor is computed once, and only for few pods.
bool proof_is_cheapest(Search *search);
