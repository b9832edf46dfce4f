// Weights are tiers: the pools of the heaviest weight that could serve a class are its home.
#pragma once

#include "sched/solver.h"

// That weight; INT32_MIN: no pool could. Limits are not asked, and every variant counts. O(pools × variants).
int32_t class_home_weight(Solver *solver, const PodClass *class);
