// Carrying commands of disruption out on paper: nodes go, nodes come, and pods are bound as the planner says.
#pragma once

#include "cli/consolidate/fleet.h"
#include "disrupt/pass.h"

// A node that came.
typedef struct {
    Symbol name;
    uint32_t round;
} ComingNode;

// A node that went, by which method, in which round.
typedef struct {
    Symbol name;
    DisruptMethod method;
    uint32_t round;
} GoneNode;

typedef struct {
    Vec(GoneNode) gone;
    Vec(ComingNode) came;
    uint32_t homeless; // pods of nodes that went for which the planner found no place after all
} Moves;

// Applies the commands of a pass that was made from `facts`; the cluster is changed, so the facts are stale after it.
// O(pods + nodes + solve).
void moves_apply(Loaded *loaded, const DisruptFacts *facts, const DisruptOptions *options, const DisruptPass *pass,
                 uint32_t round, Moves *moves);
