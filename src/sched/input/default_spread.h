// Default topology spread of a scheduler configuration (--scheduler-config). Reference scheduling.md 5.7.
#pragma once

#include "model/objects.h"

typedef struct {
    TopologySpreadVec constraints; // selectors are deduced per pod
} DefaultSpread;

// Lookup tables over the Services and controllers of a cluster, from which selectors are deduced.
typedef struct SpreadIndex SpreadIndex;
SpreadIndex *spread_index_make(Arena *arena, const Cluster *cluster);

// The constraints for a pod that has none of its own, with the selector that kube-scheduler would deduce from its
// Services and its controller; empty when nothing can be deduced or the pod has constraints. O(services of the
// namespace).
TopologySpreadVec default_spread_deduce(Arena *arena, const SpreadIndex *index, const DefaultSpread *spread,
                                        const Pod *pod);
