// Checks of a pool's instance types.
#pragma once

#include "sched/explain/explanation.h"

bool explain_volume_limits(Explanation *e);
bool explain_types(Explanation *e);

// Appends ", requirements=…, resources=…" to the text.
void explain_append_asked(Explanation *e);
// What the daemons of the pool's types take, where that is most.
Resources explain_daemons(const Explanation *e);
