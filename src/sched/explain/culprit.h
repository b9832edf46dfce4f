// Which requirement of a set leaves no instance type.
#pragma once

#include "sched/explain/explanation.h"

// The requirement of a set that leaves none of the pool's types, by itself or beside those before it (by key), as text;
// empty: none does. O(requirements × types × offerings).
Slice explain_culprit(const Explanation *e, const Requirements *asked);
