// The state of a fleet search, shared by its parts.
#pragma once

#include "sched/fleet/fleet.h"
#include "sched/place/change.h"
#include "sched/solution.h"

// Pods that moves placed on an existing node, for the part of a source.
typedef struct {
    uint32_t bin, class, count;
    uint32_t source; // one of the part
} Delivered;

typedef struct {
    const FleetInput *input;
    Solver *solver;
    Arena *arena; // of the search
    Solution initial;
    Change change;
    Arena trial;             // memory of one move
    uint32_t *bin_of_node;   // per PlanInput.nodes; INDEX_NONE: none
    uint32_t *bin_of_source; // per source
    uint32_t *source_of_bin; // per node bin; INDEX_NONE: it may not go
    uint32_t *rank;          // per class: its place in the order of placing
    double *worth;           // per class: of a pod at market prices, $ per hour
    uint32_t *left;          // per budget
    int32_t **counts;        // per topology group, per atom of its key: pods before the first move; NULL: not needed
    uint32_t stranded;       // pods that wait and have no place on existing nodes
    FleetVerdict *verdicts;  // per source
    U32Vec gone;             // sources that go, in the order of their moves
    uint32_t *parent;        // per source: towards the one that names its part
    U32Vec owner;            // per claim bin: a source of its part
    uint32_t sealed;         // claims before this bin take no more pods
    Vec(Delivered) delivered;
    Vec(Delivered) expected; // pods that wait; their source is INDEX_NONE
    uint32_t tried, kept;
} FleetSearch;

static inline bool fleet_goes_on(const FleetSearch *search) {
    return !budget_is_over(&search->solver->budget);
}
