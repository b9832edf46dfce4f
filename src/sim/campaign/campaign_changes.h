// What changes in a drawn scenario.
#pragma once

#include "sim/campaign/campaign_parts.h"

void draft_changes(Draft *draft); // campaign_changes.c
