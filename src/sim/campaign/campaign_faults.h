// What breaks in a drawn scenario.
#pragma once

#include "sim/campaign/campaign_parts.h"

void draft_faults(Draft *draft);

// Wrong clocks. Drawn after everything else, so that a seed has the cluster that it had before there were any.
void draft_clock(Draft *draft);
