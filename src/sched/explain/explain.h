// Why a class of pods fits nowhere.
#pragma once

#include "sched/solver.h"

// For each pool the first check that fails, and Karpenter's text for all of them.
// For each pool the first check that fails, and Karpenter's text for all of them.
void solver_explain(Solver *solver, const PodClass *class, ReasonVec *ret_reasons, Slice *ret_message);
