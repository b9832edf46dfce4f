// machine.link: nodes that Karpenter up to v0.27 made. They had no Machine; each gets one, as v0.28 to v0.31 gave it
// when they started, so that it ends like any other. Its Node is not written to but for what registration needs: labels
// and taints stay as they are. Reference legacy.md 4.
//
// A Machine is named after its instance, so that no two are made for one.
#pragma once

#include "ctl/ctl.h"

enum { CLAIM_LINK_PERIOD_S = 60 };

// Key: {0}, one for all nodes. O(nodes) a period.
extern const Controller claim_link_controller;
