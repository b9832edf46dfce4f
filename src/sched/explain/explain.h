// Explanations: why a class of pods fits nowhere.
#pragma once

#include "sched/solver.h"

// For each pool the first check of a new claim that fails, with the nearest miss, and Karpenter's message for all of
// them. To be called for classes that were left over. Results live in the solver's arena.
void solver_explain(Solver *solver, const PodClass *class, ReasonVec *ret_reasons, Slice *ret_message);
