// Random draws, and writing lines of the scenario.
#pragma once

#include "sim/campaign/campaign_parts.h"

// A number from `least` to `most`, both included; at most 2^31 apart.
int64_t draw_between(Draft *draft, int64_t least, int64_t most);
bool draw_chance(Draft *draft, uint32_t percent);
const char *draw_word(Draft *draft, const char *const *words, size_t count);

// Begins and ends a line of the timeline; its other members are appended in between.
void draft_begin_line(Draft *draft, int64_t at_s);
void draft_end_line(Draft *draft);
