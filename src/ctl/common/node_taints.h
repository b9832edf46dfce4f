// The taints of a Node as they are written, with or without one of tenon's: karpenter.sh/disrupted:NoSchedule while it
// is disrupted, karpenter.sh/rebooting:NoSchedule while it is rebooted, tenon.sh/planned-to-go:PreferNoSchedule while
// it is planned to go.
#pragma once

#include "model/objects.h"
#include "text/value.h"

// The node's taints; of that key only that effect, EFFECT_NONE: none. A patch with them replaces the list and has
// to carry the resourceVersion that the node was read at. O(taints).
Value node_taints_value(Arena *arena, const Symbols *symbols, const Node *node, Symbol key, TaintEffect effect);
