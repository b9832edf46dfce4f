// Cells of a small problem, and what rules between nodes allow in each domain.
#pragma once

#include "sched/contents/problem.h"

// Fills keys, cells, counts, togethers and aparts; items must be made. O(groups × items × domains + cells).
void small_make_cells(SmallProblem *problem);

// The label state after pinning `state` to the domains of a cell; LABEL_STATE_NONE: impossible. O(keys).
uint32_t small_state_in(SmallProblem *problem, uint32_t state, uint32_t cell);

// Keeps the owners of the rule out of all cells but those of the cell's domain. `ret_banned`: items, per cell. False:
// an earlier cell is in that domain.
bool small_hold_together(const SmallProblem *problem, const SmallTogether *together, uint32_t cell,
                         uint32_t *ret_banned);
