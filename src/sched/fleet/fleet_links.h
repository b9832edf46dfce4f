// Which nodes go together: nodes and claims that exchanged pods in a kept change.
#pragma once

#include "sched/fleet/fleet_search.h"
#include "sched/place/change.h"

// A node that gets pods, and a bin of the set that brings them.
typedef struct {
    uint32_t node, by;
} Landing;

typedef struct {
    Solver *solver;
    Arena *arena;
    U32Vec parent;  // per bin: a bin of the same set
    U32Vec removed; // bins of nodes that go
    Vec(Landing) landings;
} FleetLinks;

void fleet_links_init(FleetLinks *links, Solver *solver, Arena *arena);
// The node of a bin goes. Before fleet_links_add of the change that removed it.
void fleet_links_remove(FleetLinks *links, uint32_t bin);
// Links what a kept change has touched: the nodes that it removed, and the claims whose pods it changed. O(bins
// touched).
void fleet_links_add(FleetLinks *links, const Change *change);

// Writes a move for each set of linked nodes.
void fleet_links_write(FleetLinks *links, const FleetInput *input, Fleet *fleet);
