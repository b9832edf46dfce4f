// Where nodes can be, and how many pods rules between nodes want in each domain.
#pragma once

#include "sched/contents/problem.h"

// Fills keys, cells and counts. Items are made. O(groups × items × domains + cells).
void small_make_cells(SmallProblem *problem);

// The state of a claim that starts from `state` and is in the cell; LABEL_STATE_NONE: there is none. O(keys).
uint32_t small_state_in(SmallProblem *problem, uint32_t state, uint32_t cell);
