// NodePools and NodeClasses of a random scenario.
#pragma once

#include "sim/campaign/campaign_parts.h"

// The NodeClass that all pools use.
const char *draft_class_group(const Draft *draft);
const char *draft_class_kind(const Draft *draft);
void draft_pools(Draft *draft); // campaign_pools.c
