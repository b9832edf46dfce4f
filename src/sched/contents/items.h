// Items, the numbering of contents, and rules of hosts.
#pragma once

#include "sched/contents/problem.h"

// Fills in items and the rules of hosts, for `placed` pods of each class. False: there are no pods, or too many items.
// O(classes × items × groups).
bool small_make_items(SmallProblem *problem, const uint32_t *placed);

// Numbers the contents. False: there are more than SMALL_CONTENTS_MAX. O(contents × items).
bool small_number_contents(SmallProblem *problem);

// Whether every variant of the class has the group, so that its rule is required.
bool small_owns(const PodClass *class, uint32_t group);
