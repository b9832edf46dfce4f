// What becomes of a cluster's nodes when everything that disruption finds is carried out.
#pragma once

#include "cli/consolidate/moves.h"
#include "cli/consolidate/node_price.h"

// A node of the cluster, before or after.
typedef struct {
    Symbol name, pool; // pool NAME_EMPTY: of none
    NodePrice price;
    uint32_t pods; // bound ones that are not of a DaemonSet
    bool has_claim;
    Slice why; // after: why it stays, in the words of its events; empty: nobody said
} FleetNode;
typedef Vec(FleetNode) FleetNodeVec;

typedef struct {
    FleetNodeVec before, after;
    Moves moves;
    FleetAssumptions assumptions;
    uint32_t rounds, pods_moved;
    bool is_cut_short;     // there was more to do after the last round
    double floor_per_hour; // of all bound pods on fresh nodes; NAN: not known
    uint32_t floor_pods, floor_unplaced;
} Future;

// Changes what was loaded: it is as after the last round. O(rounds × pass).
void future_make(const PlanOptions *options, Loaded *loaded, Future *ret_future);

// What the cluster costs less after it. Each new node runs FUTURE_OVERLAP_MINUTES beside the old ones: how long it
// takes to save that; NAN: no node comes, or nothing is saved.
enum { FUTURE_OVERLAP_MINUTES = 5 };
typedef struct {
    double per_hour, payback_minutes;
} FutureSaving;
FutureSaving future_saving(const Future *future);

// Sum of the prices; ret_unknown: nodes whose price is not known.
double fleet_nodes_price(const FleetNodeVec *nodes, uint32_t *ret_unknown);
const FleetNode *fleet_node_find(const FleetNodeVec *nodes, Symbol name);
