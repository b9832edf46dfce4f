// Where nodes can be, and how many pods rules between nodes want in each domain.
#pragma once

#include "sched/contents/problem.h"

// Fills keys, cells and counts. Items are made. O(groups × items × domains + cells).
void small_make_cells(SmallProblem *problem);
