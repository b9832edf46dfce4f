// Random draws, and writing lines of the scenario.
#include "sim/campaign/campaign_draft.h"

#include <inttypes.h>

int64_t draw_between(Draft *draft, int64_t least, int64_t most) {
    return least + random_below(&draft->random, (uint32_t)(most - least + 1));
}

bool draw_chance(Draft *draft, uint32_t percent) {
    return random_chance(&draft->random, percent);
}

const char *draw_word(Draft *draft, const char *const *words, size_t count) {
    return words[random_below(&draft->random, (uint32_t)count)];
}

void draft_begin_line(Draft *draft, int64_t at_s) {
    buffer_printf(draft->out, "%s- {at: %" PRId64 "s, ", draft->lines++ ? "" : "timeline:\n", at_s);
}

void draft_end_line(Draft *draft) {
    buffer_append(draft->out, SLICE("}\n"));
}
