// The annotation tenon.sh/node-loss-cost of a NodePool: what it is worth to a workload not to be on one node.
#pragma once

#include "model/objects.h"

// Dollars per hour that the annotation says; 0 when it is absent or not a number from 0 to 1,000,000.
// `ret_valid` (may be NULL): absent, or such a number.
double node_loss_cost(const Symbols *symbols, const NodePool *pool, bool *ret_valid);
