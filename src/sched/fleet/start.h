// The beginning of a search: the fleet as it is, in a solver.
#pragma once

#include "sched/fleet/state.h"

// Prepares the solver, finds the worth of pods if it is asked for, puts the pods of sources on their bins, and those
// that wait into free room. False: out of time. O(solver_init).
bool fleet_start(FleetSearch *search, Arena *arena, bool with_worth);

// Frees the solver of a search that was started, or could not be.
void fleet_end(FleetSearch *search);
