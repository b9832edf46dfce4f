// node.planned: nodes that are planned to go say so to kube-scheduler, which then prefers others for new pods. tenon's
// own; Karpenter knows no such thing.
//
// The fleet search holds some moves back because what they save may not last (docs/design/disrupt-fleet.md). Their
// nodes get the taint tenon.sh/planned-to-go:PreferNoSchedule and, in the same write, the annotation of that name: when
// that was. The taint keeps no pod away, and tenon's plans do not see it. Both are taken off when the node is not
// planned to go any more, without disruption, and where one is there without the other (docs/design/ctl-outlook.md).
#pragma once

#include "ctl/ctl.h"

extern const Controller planned_taint_controller;

enum {
    PLANNED_TAINT_AFTER_S = 60,  // a node is planned to go for so long before it is tainted
    PLANNED_TAINT_LEAST_S = 600, // a taint stays for so long
    PLANNED_TAINT_NODES = 50,    // at most so many nodes begin to wait for it with one look
};
