// What is valid and yet hardly what was meant: notes on the input that only somebody who plans it needs.
#pragma once

#include "cli/load.h"

// A NodePool's requirement on a label that no instance type of it has and that other programs give their nodes, or that
// is almost a well-known one. O(requirements × types).
void note_idle_requirements(Loaded *loaded, const NodePool *pool, const InstanceTypeVec *types);

// Takes pods of other schedulers (Fargate's, …) out of those to be planned, and says so. One that its scheduler
// reported as unschedulable stays: Karpenter gives it a node, too. O(pods).
void leave_out_foreign_pods(Loaded *loaded, PendingPodVec *pods);
