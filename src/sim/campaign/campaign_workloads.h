// Workloads of a random scenario.
#pragma once

#include "sim/campaign/campaign_parts.h"

const char *draft_kind_text(DraftKind kind);
void draft_workloads(Draft *draft); // campaign_workloads.c
