// What a drawn scenario ends with: is everything well again?
#pragma once

#include "sim/campaign/campaign_parts.h"

void draft_probe(Draft *draft); // campaign_probe.c
