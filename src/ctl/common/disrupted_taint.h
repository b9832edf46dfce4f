// The taints of a Node as they are written, with or without karpenter.sh/disrupted:NoSchedule.
#pragma once

#include "model/objects.h"
#include "text/value.h"

// The node's taints; of the key karpenter.sh/disrupted only NoSchedule, if `disrupted`, else none. A patch with them
// replaces the list and has to carry the resourceVersion that the node was read at. O(taints).
Value node_taints_value(Arena *arena, const Symbols *symbols, const Node *node, bool disrupted);
