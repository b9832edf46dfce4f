// Selects the bins to rebuild together: a few of one pool, bins with pods that one topology rule counts, or random
// ones.
#pragma once

#include "sched/place/rebuild.h"

typedef struct {
    const Rebuild *rebuild;
    Random random;
    U32Vec open;   // bins that may be emptied
    uint32_t turn; // the kinds of choices take turns
} Neighbours;

void neighbours_init(Neighbours *neighbours, const Rebuild *rebuild);

// Finds the bins that may be emptied; to be called after bins have changed. O(bins).
void neighbours_renew(Neighbours *neighbours);

// Chooses some bins, with their dependents (rebuild_add_dependents), into the caller's list. False: this choice is not
// possible, or is too large. O(bins) for choices by rule, else O(bins chosen).
bool neighbours_choose(Neighbours *neighbours, U32Vec *ret_bins);
