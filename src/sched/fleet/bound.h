// The fleet as it is: the pods of sources as pods that the solver has placed.
#pragma once

#include "sched/fleet/state.h"

// Puts the pods of each source on its bin, and pods that wait into free room of nodes. Sources where such pods are
// expected may not go. The solver must be prepared, without a pod placed. O(pods + nodes).
void fleet_bind(FleetSearch *search);

// Makes the index of bins again. Pods that wait do not count as pods to be placed. O(bins × dims).
void fleet_renew_index(FleetSearch *search);

// Where pods that wait are expected, in `arena`. O(pods).
FleetDeliveryVec fleet_waiting(const FleetSearch *search, Arena *arena);
