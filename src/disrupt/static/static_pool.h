// Nodes of static NodePools, replaced one for one from the pool's template. Reference lifecycle.md 4.9,
// changes.md 1.5, 3.
#pragma once

#include "disrupt/round.h"

typedef struct {
    bool is_settled; // the pool has no more nodes than replicas
    int64_t room;    // nodes that it may have beside those that it has
} StaticPool;

// Nodes that a command is under way for count. O(nodes).
StaticPool static_pool_look(const DisruptFacts *facts, const NodePool *pool);

// The command for one node, with a replacement of the template alone, or without one.
DisruptCommand static_pool_command(Round *round, DisruptMethod method, const DisruptionCandidate *candidate,
                                   bool is_replaced);
