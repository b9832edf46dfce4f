// The fleet search: existing nodes that may go, and what their pods need when they do.
//
// The planner's bins, with the pods of those nodes as classes in bins: where they are now is the first solution. A move
// takes a few nodes out as a whole, and places their pods in other nodes' room and on new claims; it is kept when it
// saves more than it must, else undone. Whoever stays on a node that stays is never moved.
// docs/design/disrupt-fleet.md.
#pragma once

#include "sched/plan.h"

// A node that may go. Its pods are those of PlanInput.pending with that `home`.
typedef struct {
    uint32_t node;         // index into PlanInput.nodes
    double price_per_hour; // $, what is saved without it
    double least_saving;   // $ per hour that a move with it must save for it at least
    uint32_t group;        // of `left`
} FleetSource;
typedef Vec(FleetSource) FleetSourceVec;

typedef struct {
    const PlanInput *input;
    FleetSourceVec sources; // in the order in which they are tried
    const uint32_t *left;   // per group: how many of its nodes may go
    uint32_t group_count;
} FleetInput;

// Nodes that go together, and what comes for them. Moves of a search do not depend on each other, but for room on nodes
// that stay.
typedef struct {
    U32Vec nodes;           // indexes into PlanInput.nodes
    PlannedClaimVec claims; // their `pods` are those of the nodes
    U32Vec destinations;    // indexes into PlanInput.nodes, of nodes that get pods
    uint32_t pods;
    double price_per_hour, saving_per_hour; // of the nodes; of the move, by what the claims are expected to cost
} FleetMove;
typedef Vec(FleetMove) FleetMoveVec;

typedef struct {
    FleetMoveVec moves; // most saving per hour first
    uint32_t trials, kept;
    bool cut_short; // the search ended at its deadline
} Fleet;

// Everything returned lives in `arena` or in the input. O(preparation of a plan + trials × cost of placing the pods of
// a few nodes).
void fleet_search(Arena *arena, const FleetInput *input, Fleet *ret_fleet);
