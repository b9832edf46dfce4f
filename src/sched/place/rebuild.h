// Ruin and recreate: some bins are emptied, and their pods and those without a place are placed anew in some disorder.
// What comes out covers merging, splitting, swapping, chains of pods that push each other out, other pools, zones and
// types for the same pods, and other domains for the pods of a spread.
#pragma once

#include "sched/place/displaced.h"
#include "sched/place/outweighed.h"

typedef struct {
    Solver *solver;
    Arena arena; // of the list of pods of one trial
    Change change;
    Displacing displacing;
    Outweighed outweighed;
} Rebuild;

// Until rebuild_free, the solver's bins change by it alone, or after marginal_renew. `home_weight`: of
// place/outweighed.h. O(classes × groups), and what outweighed_init takes.
void rebuild_init(Rebuild *rebuild, Solver *solver, const int32_t *home_weight);
void rebuild_free(Rebuild *rebuild);

// Whether a bin may be emptied. O(entries).
bool rebuild_may_empty(const Solver *solver, const Bin *bin);

// Adds the bins whose pods are near pods of those in the list by an affinity rule and rely on it; false: some of these
// may not be emptied, or there would be more than `most`. O(bins in the list × entries) where no such rule is.
bool rebuild_add_dependents(const Rebuild *rebuild, U32Vec *bins, uint32_t most);

// Empties the bins and places anew; keeps it when more pods have a place, those of higher priority first, or when the
// same have one and it costs less. Whether it was kept. The bins must be ones that may be emptied, with their
// dependents.
bool rebuild_try(Rebuild *rebuild, const U32Vec *bins);
