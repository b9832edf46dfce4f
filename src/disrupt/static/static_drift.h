// Drift of static NodePools: nodes replaced one for one, from the pool's template. Reference lifecycle.md 4.9,
// changes.md 3.
#pragma once

#include "disrupt/round.h"

// A command for each drifted node, as many as budgets and the pool's node limit allow; at the limit, with
// DisruptOptions.terminate_first_drift, as many as budgets allow, without replacements. A pool with more nodes than
// replicas shrinks first.
void static_drift_find(Round *round);
