// What becomes of the nodes that stay for now: the order in which they would go, and which of them would be gone if
// nothing had to pass first. Others steer by it: scale-in empties the first ones, new pods avoid the planned ones
// (docs/design/ctl-outlook.md). Reference changes.md 4.2.
#pragma once

#include "disrupt/round.h"

// Fills in the outlooks of the pass, once its commands are found. Of `options->ranks` the order: first the nodes of
// those commands and those that are planned to go, then drifted ones, then by savings; no more of each NodePool than
// its budgets allow. Nodes that may not be disrupted, and those with a pod that no ReplicaSet, Job or DaemonSet would
// make anew (kube-system apart), have no place. O(nodes × (log nodes + pools) + pods).
void outlook_find(Round *round);
