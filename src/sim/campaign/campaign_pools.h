// NodePools and NodeClasses of a drawn scenario.
#pragma once

#include "sim/campaign/campaign_parts.h"

// Of the NodeClass that all pools have.
const char *draft_class_group(const Draft *draft);
const char *draft_class_kind(const Draft *draft);
void draft_pools(Draft *draft); // campaign_pools.c
