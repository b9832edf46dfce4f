// A fleet: nodes that a plan chose, with its pods on them, and passes of consolidation over it.
#pragma once

#include "disrupt/fleet.h"
#include "scene.h"

typedef struct {
    Scene scene;
    DisruptOptions options;
    DisruptFacts facts; // of the last fleet_look
    Arena looked;       // its memory
    uint32_t nodes_made;
} Fleet;

// What a pass did.
typedef struct {
    uint32_t commands, nodes_out, nodes_in, pods_moved;
    uint32_t moves_tried, moves_kept;
    int64_t prepare_ns, search_ns; // facts and question; sched's search
} FleetPass;

int64_t fleet_now_ns(void *context);

void fleet_free(Fleet *fleet);

// Plans the scene's pending pods and binds them to the nodes of the plan.
void fleet_build(Fleet *fleet);
// Takes so many percent of the pods away, at random.
void fleet_shrink(Fleet *fleet, uint32_t percent, uint64_t seed);
// Leaves so many nodes, chosen at random, with their pods; all other pods go, those without a node too.
void fleet_keep_nodes(Fleet *fleet, uint32_t count, uint64_t seed);
// Leaves so many pods, chosen at random.
void fleet_keep_pods(Fleet *fleet, uint32_t count, uint64_t seed);

// Collects the facts of a pass: Fleet.facts, in Fleet.looked. `budget`: of pools, percent. `under_way`: nodes of
// commands of an earlier pass.
void fleet_look(Fleet *fleet, uint32_t budget, const U32Vec *under_way);
// One pass, whose commands are carried out. `budget`: of pools, percent.
FleetPass fleet_pass(Fleet *fleet, uint32_t budget);

double fleet_price(const Fleet *fleet);
// The price of a plan for all pods on new nodes, and the floor of such plans.
void fleet_fresh(Fleet *fleet, double *ret_price, double *ret_floor);
