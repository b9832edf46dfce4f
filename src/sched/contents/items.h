// Items, the numbers of contents, and what pods may not do on one host.
#pragma once

#include "sched/contents/problem.h"

// Fills items, numbers of contents and the rules of hosts for `placed` pods of each class. False: there are none, or
// too many. O(classes² × groups + contents).
bool small_make_items(SmallProblem *problem, const uint32_t *placed);

// Whether every variant of the class has the group: what it asks is required.
bool small_owns(const PodClass *class, uint32_t group);
