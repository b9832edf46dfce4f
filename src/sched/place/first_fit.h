// Strategies that do not compare prices: STRATEGY_FIRST_FIT and STRATEGY_EMPTIEST_FIRST.
//
// Each places up to `want` pods of a class under one variant (or an alternative to it) and returns how many.
// `ret_later` is set if a topology rule may allow more later.
#pragma once

#include "sched/solver.h"

uint32_t first_fit_place(Solver *solver, uint32_t class, uint32_t variant, uint32_t want, bool *ret_later);
uint32_t emptiest_place(Solver *solver, uint32_t class, uint32_t variant, uint32_t want, bool *ret_later);
