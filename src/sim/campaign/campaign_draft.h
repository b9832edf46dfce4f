// Draws, and lines of the scenario that is being written.
#pragma once

#include "sim/campaign/campaign_parts.h"

// Both ends included; at most 2^31 apart.
int64_t draw_between(Draft *draft, int64_t least, int64_t most);
bool draw_chance(Draft *draft, uint32_t percent);
const char *draw_word(Draft *draft, const char *const *words, size_t count);

// A line of the timeline: what is appended between the two are its other members.
void draft_begin_line(Draft *draft, int64_t at_s);
void draft_end_line(Draft *draft);
