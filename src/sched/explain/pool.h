// What a pool as a whole has against a class: no types, limits, taints.
#pragma once

#include "sched/explain/explanation.h"

bool explain_pool(Explanation *e);
bool explain_limits(Explanation *e);
bool explain_taints(Explanation *e);

// Names the limit that is nearest to letting one of the rows in.
void explain_nearest_limit(Explanation *e, const uint64_t *rows);
