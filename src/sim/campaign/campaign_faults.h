// What breaks in a drawn scenario.
#pragma once

#include "sim/campaign/campaign_parts.h"

void draft_faults(Draft *draft); // campaign_faults.c
