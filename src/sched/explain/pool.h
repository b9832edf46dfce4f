// Checks of a pool as a whole: instance types at all, limits, taints.
#pragma once

#include "sched/explain/explanation.h"

bool explain_pool(Explanation *e);
bool explain_limits(Explanation *e);
bool explain_taints(Explanation *e);

// Names, as the nearest miss, the limit that needs the least increase to admit one of the rows.
void explain_nearest_limit(Explanation *e, const uint64_t *rows);
