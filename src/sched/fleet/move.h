// Moves: sources, and claims of earlier moves, are emptied as a whole, and their pods placed again.
#pragma once

#include "sched/fleet/told.h"

typedef struct {
    U32Vec sources;   // that have not gone yet
    U32Vec claims;    // bins
    const Told *told; // where the pods go; NULL: where they add least to the price
} MoveSet;

// Tries the move, and keeps it if it is worth it. Returns whether it was kept; ret_gain: what it saves, $ per hour, or
// NAN if its pods have no place. A set that exceeds budgets is not tried: ret_gain is NAN. A set that
// is told where its pods go takes no others with it, and opens no claims but those. O(pods × cost of
// marginal_move).
bool fleet_move(FleetSearch *search, const MoveSet *set, double *ret_gain);

// Computes the order of placing. O(classes × groups).
void fleet_order_classes(FleetSearch *search);
