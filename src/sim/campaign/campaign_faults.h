// Faults of a random scenario.
#pragma once

#include "sim/campaign/campaign_parts.h"

void draft_faults(Draft *draft);

// Wrong clocks. Drawn last, so that a seed keeps the cluster that it had before there were any.
void draft_clock(Draft *draft);

// Writes nodes that become sick early, for reasons that are soon repaired, and stay so.
void draft_sickness(Draft *draft);
