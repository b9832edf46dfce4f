// Makes a plan of a deal. Every placement goes through bin_try, as with all strategies: pods that a rule keeps out of
// their node are left for the strategy that places the rest.
#pragma once

#include "sched/contents/deal.h"

// What claims are tied to, and whose they are.
typedef enum {
    DEAL_IN_DOMAINS,        // to the domains that rules look at; of the pools of the deal
    DEAL_AS_OFFERED,        // to the offerings that the deal is priced at; of the pools of the deal
    DEAL_IN_HEAVIEST_POOLS, // to the offerings; of the heaviest pools that can open them
} DealManner;

// Places pods of a solver that has placed none. `levels`: per class, the most preferences that its pods may give up.
// Whether heavier pools with limits could take a claim's pods is asked in DEAL_IN_HEAVIEST_POOLS alone
// (place/outweighed.h is for that). O((nodes × parts)² × variants) verdicts at most.
void deal_place(Solver *solver, const Deal *deal, DealManner manner, const uint32_t *levels);

// Per class, in `arena`: the fewest preferences that one of its pods gives up in the solver's solution. O(entries).
uint32_t *deal_levels(const Solver *solver, Arena *arena);
