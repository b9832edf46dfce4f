// Ruin and recreate: some bins are emptied, and their pods and pods without a place are placed again in a random order.
// This covers merging and splitting bins, swapping pods, chains of moves, other pools, zones and types for the same
// pods, and other domains for the pods of a spread.
#pragma once

#include "sched/place/displaced.h"
#include "sched/place/outweighed.h"

typedef struct {
    Solver *solver;
    Arena arena; // of one trial
    Change change;
    Displacing displacing;
    Outweighed outweighed;
} Rebuild;

// Until rebuild_free, only rebuilds may change the solver's bins, unless marginal_renew is called afterwards.
// `home_weight`: see place/outweighed.h. O(classes × groups), and the cost of outweighed_init.
void rebuild_init(Rebuild *rebuild, Solver *solver, const int32_t *home_weight);
void rebuild_free(Rebuild *rebuild);

// Whether a bin may be emptied. O(1).
bool rebuild_may_empty(const Bin *bin);

// Adds the bins with pods whose affinity rules count pods on bins of the list. False: some of them may not be emptied,
// or there would be more than `most`. O(bins in the list × entries) if there are no such rules.
bool rebuild_add_dependents(const Rebuild *rebuild, U32Vec *bins, uint32_t most);

// Empties the bins and places their pods again. Keeps the change if more pods are placed (higher priorities decide
// first), or the same pods at a lower price; else undoes it. Returns whether it was kept. All bins must be allowed by
// rebuild_may_empty and include their dependents.
bool rebuild_try(Rebuild *rebuild, const U32Vec *bins);
