// The taints of a Node as they are written, with or without one that keeps pods away: karpenter.sh/disrupted:NoSchedule
// while it is disrupted, karpenter.sh/rebooting:NoSchedule while it is rebooted.
#pragma once

#include "model/objects.h"
#include "text/value.h"

// The node's taints; of that key only NoSchedule, if `present`, else none. A patch with them replaces the list and has
// to carry the resourceVersion that the node was read at. O(taints).
Value node_taints_value(Arena *arena, const Symbols *symbols, const Node *node, Symbol key, bool present);
