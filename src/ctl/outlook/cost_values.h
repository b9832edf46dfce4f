// Numbers that keep nodes in an order, with as few changes as possible: values of
// controller.kubernetes.io/pod-deletion-cost, which each pod of a node has.
//
// Karpenter numbers its nodes from -n to -1, so that a node that joins has those before it numbered anew (reference
// changes.md 4.2). Here the numbers are far apart: who keeps its place keeps its number.
#pragma once

#include "base/arena.h"

enum {
    COST_VALUE_NONE = 0,          // no value
    COST_VALUE_FIRST = INT32_MIN, // of nodes that are going already; given by nobody here
};

// Values for nodes in the order in which they go: rising, below 0 and above COST_VALUE_FIRST. `present`: what each has
// now, or COST_VALUE_NONE. Of these as many stay as the order allows. `count` < 2^30. O(count × log count).
void cost_values_assign(Arena *arena, const int32_t *present, uint32_t count, int32_t *ret_values);
