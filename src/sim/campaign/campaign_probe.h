// Final check of a random scenario: do ordinary pods get nodes after all faults?
#pragma once

#include "sim/campaign/campaign_parts.h"

void draft_probe(Draft *draft); // campaign_probe.c
