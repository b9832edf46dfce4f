// Repair: sick nodes are replaced, one per pass. Reference changes.md 1.
//
// Beside Karpenter's breaker for each NodePool there is one for each zone and each image, and a pace for them
// (history.h): what makes many nodes sick at once is seldom cured by more of the same.
#pragma once

#include "disrupt/round.h"

enum { REPAIR_BREAKER_PERCENT = 20 };

// A command for the sick node that is most urgent among those that nothing keeps from being repaired: priority of the
// policy and time since its toleration ended, then disruption cost, then name. Pods that must not be evicted now do not
// keep it if its drain has an end. O(nodes × (pools + conditions × policies)), and a solve for each node that is tried.
void repair_find(Round *round);
