// Annotation tenon.sh/node-loss-cost of a NodePool: the price of having all pods of a workload on one node.
#pragma once

#include "model/objects.h"

// The annotation's value in dollars per hour; 0 when it is absent or not a number from 0 to 1,000,000. `ret_valid` (may
// be NULL): it is absent, or such a number.
double node_loss_cost(const Symbols *symbols, const NodePool *pool, bool *ret_valid);
