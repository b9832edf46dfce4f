// Changes that users make in a random scenario.
#pragma once

#include "sim/campaign/campaign_parts.h"

void draft_changes(Draft *draft); // campaign_changes.c
