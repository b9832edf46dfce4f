// The strategies that do not ask for prices: STRATEGY_FIRST_FIT and STRATEGY_EMPTIEST_FIRST.
//
// Each places some pods of a class, at most `want`, under one variant, and return how many. `ret_later`:
// a rule may allow more later.
#pragma once

#include "sched/solver.h"

uint32_t first_fit_place(Solver *solver, uint32_t class, uint32_t variant, uint32_t want, bool *ret_later);
uint32_t emptiest_place(Solver *solver, uint32_t class, uint32_t variant, uint32_t want, bool *ret_later);
