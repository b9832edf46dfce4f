// The fingerprint of what the fleet search is asked: whether anything that it reads has changed since the last search.
#pragma once

#include "sched/fleet/fleet.h"

// Never 0. Of nodes, pods and where they run, the costs of moving them, budgets, pools, and prices. What is younger
// than that (namespaces, volumes, DaemonSets) is found by the next search that comes in any case. O(pods + nodes +
// pools × offerings).
uint64_t fleet_fingerprint(const FleetInput *input);
