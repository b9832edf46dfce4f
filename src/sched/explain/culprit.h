// The requirement of a set that leaves no instance type.
#pragma once

#include "sched/explain/explanation.h"

// The text of the requirement that leaves none of the pool's types: one that does so by itself, else, adding
// requirements in the order of their keys, the one that removes the last type. Empty: types are left.
// O(requirements × types × offerings).
Slice explain_culprit(const Explanation *e, const Requirements *asked);
