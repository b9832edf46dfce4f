// What is proved of the prices of a search's solutions (docs/design/floor.md).
#pragma once

#include "sched/search.h"

// No plan that places what the solution in the solver places costs less than this; NAN: not asked for. The solver's
// solution stays. Cost: bounded by steps, and by the proof's part of the solve's budget.
double proof_floor(Search *search);

// Whether the best solution so far places all pods and none that does costs less, as far as a short look shows: then
// there is nothing to search for. The floor is found once, for few pods.
bool proof_is_cheapest(Search *search);
