// What the instance types of a pool have against a class.
#pragma once

#include "sched/explain/explanation.h"

bool explain_volume_limits(Explanation *e);
bool explain_types(Explanation *e);

// ", requirements=…, resources=…".
void explain_append_asked(Explanation *e);
