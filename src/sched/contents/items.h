// Items, the numbering of contents, and rules of hosts.
#pragma once

#include "sched/contents/problem.h"

// Fills in items, the numbering of contents and the rules of hosts, for `placed` pods of each class. False: there are
// no pods, or too many. O(classes² × groups + contents).
bool small_make_items(SmallProblem *problem, const uint32_t *placed);

// Whether every variant of the class has the group, so that its rule is required.
bool small_owns(const PodClass *class, uint32_t group);
