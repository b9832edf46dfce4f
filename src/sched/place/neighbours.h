// Which bins are worth rebuilding together: a few of one pool, those whose pods one rule counts, any, or all.
#pragma once

#include "sched/place/rebuild.h"

typedef struct {
    const Rebuild *rebuild;
    Random random;
    U32Vec open;   // bins that may be emptied
    uint32_t turn; // kinds of choices come in turn
} Neighbours;

void neighbours_init(Neighbours *neighbours, const Rebuild *rebuild);

// Looks afresh which bins may be emptied. O(bins).
void neighbours_renew(Neighbours *neighbours);

// Chooses some bins, with the dependents that they need; the list stays the caller's. False: this choice came to
// nothing. O(bins) for the choices by rule, else O(bins chosen).
bool neighbours_choose(Neighbours *neighbours, U32Vec *ret_bins);
