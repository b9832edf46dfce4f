// Makes a plan of a deal. Every placement goes through bin_try, as with all strategies: pods that a rule keeps out of
// their node are left for the strategy that places the rest.
#pragma once

#include "sched/contents/deal.h"

// Places pods of a solver that has placed none. `as_offered`: claims are tied to the offerings that the deal is priced
// at; without it they are tied to domains alone. `levels`: per class, the most preferences that its pods may give up.
// Whether heavier pools with limits could take a claim's pods is not asked (place/outweighed.h is for that).
// O((nodes × parts)² × variants) verdicts at most.
void deal_place(Solver *solver, const Deal *deal, bool as_offered, const uint32_t *levels);

// Per class, in `arena`: the fewest preferences that one of its pods gives up in the solver's solution. O(entries).
uint32_t *deal_levels(const Solver *solver, Arena *arena);
