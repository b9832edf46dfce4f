// Places of a small problem: claims that can be opened and existing nodes.
#pragma once

#include "sched/contents/problem.h"

// Fills claims (cheapest first), nodes, supplies and limits; items and cells must be made. False: there are too many.
// O(pools × cells × types × (items + claims kept × dims) + nodes × items).
bool small_make_places(SmallProblem *problem);
