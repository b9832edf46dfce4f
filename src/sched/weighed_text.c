// Prices in words.
#include "sched/weighed_text.h"

#include <math.h>

double weighed_cost(const WeighedRule *rule, bool kept) {
    return kept && rule->left_out ? NAN : rule->dearer_percent;
}

Slice weighed_cost_text(Arena *arena, double percent) {
    if (isnan(percent))
        return (Slice){0};
    if (isinf(percent))
        return SLICE("no place keeps it");
    if (percent < 0.05)
        return SLICE("costs nothing");
    return arena_printf(arena, "%.*f%% dearer", percent < 9.95 ? 1 : 0, percent);
}
