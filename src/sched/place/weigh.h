// Placing pods whose preferred rules are weighed (PREFERENCES_WEIGH).
#pragma once

#include "sched/solver.h"

// Places some pods of a class with preferred rules; returns the number placed. Chooses the rules to keep by trial
// placements: each rule, heaviest first, is kept if placing the next pods with it costs no more than its worth.
// O(rules) trial placements.
uint32_t weigh_place(Solver *solver, uint32_t class);
