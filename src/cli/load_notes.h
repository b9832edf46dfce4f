// Warnings about valid input that is probably a mistake, and pods that are not to be planned.
#pragma once

#include "cli/load.h"

// Warns of a NodePool's requirement on a label that none of its instance types has and that belongs to another program,
// or resembles a well-known one. O(requirements × types).
void note_idle_requirements(Loaded *loaded, const NodePool *pool, const InstanceTypeVec *types);

// Removes pods of other schedulers (Fargate's, …) from those to be planned, and says so. A pod that its scheduler
// reported as unschedulable stays: Karpenter gives it a node, too. O(pods).
void leave_out_foreign_pods(Loaded *loaded, PendingPodVec *pods);

// Says that preferences of pods were dropped, for there are more than are read of one pod. O(pods).
void note_dropped_preferences(Loaded *loaded, const PendingPodVec *pods);
// About bound pods of whose rules the plan reads a part.
void note_read_in_part(Loaded *loaded, const Plan *plan);
