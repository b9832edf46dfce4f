// Moves: sources, and claims of earlier moves, are emptied as a whole, and their pods placed again.
#pragma once

#include "sched/fleet/state.h"

typedef struct {
    U32Vec sources; // that have not gone yet
    U32Vec claims;  // bins
} MoveSet;

// Tries the move, and keeps it if it is worth it. Returns whether it was kept; ret_gain: what it saves, $ per hour, or
// NAN if its pods have no place. A set that exceeds budgets is not tried: ret_gain is NAN. O(pods × cost of
// marginal_move).
bool fleet_move(FleetSearch *search, const MoveSet *set, double *ret_gain);

// Computes the order of placing. O(classes × groups).
void fleet_order_classes(FleetSearch *search);
