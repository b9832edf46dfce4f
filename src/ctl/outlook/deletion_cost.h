// pod.deletioncost, behind the gate PodDeletionCostManagement: has scale-in empty the nodes that go next. Behaviour:
// reference changes.md 4.2; differences from Karpenter: docs/design/ctl-outlook.md.
//
// When a ReplicaSet shrinks, its pods of the lowest controller.kubernetes.io/pod-deletion-cost go first. So pods of
// ReplicaSets on the nodes that disruption would take next get a value below 0, all of a node the same, and nodes that
// are going the lowest that there is. What tenon wrote stands in tenon.sh/pod-deletion-cost, too: a value without that,
// or other than that, is somebody else's and is never touched. Without the gate, without disruption, and on nodes that
// stay, tenon's values are taken off.
#pragma once

#include "ctl/ctl.h"

extern const Controller deletion_cost_controller;

enum {
    DELETION_COST_NODES = 50,    // at most so many have their pods written between two passes, ...
    DELETION_COST_PERIOD_S = 60, // ... which are at least so long apart
    DELETION_COST_KEPT_S = 300,  // a node that loses its place in the order keeps its value for so long
};
