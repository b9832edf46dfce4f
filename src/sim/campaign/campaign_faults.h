// Faults of a random scenario.
#pragma once

#include "sim/campaign/campaign_parts.h"

void draft_faults(Draft *draft);

// Wrong clocks. Drawn last, so that a seed keeps the cluster that it had before there were any.
void draft_clock(Draft *draft);
