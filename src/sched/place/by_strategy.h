// Placing pods by the strategy of the solver.
#pragma once

#include "sched/solver.h"

// Places at most `want` pods of a class with a variant or one of its alternatives; returns the number placed.
// `ret_later`: set if a rule may allow more later.
uint32_t place_by_strategy(Solver *solver, uint32_t class, uint32_t variant, uint32_t want, bool *ret_later);
