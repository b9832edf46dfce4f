// Label values that a claim's pods exclude by NotIn and that occur nowhere else in the input. They are not atoms of the
// universe, so the claim's label state cannot exclude them; the requirements of its spec do, for the cloud provider
// that chooses the value of the label.
#pragma once

#include "sched/solver.h"

// Adds `NotIn` of such values to those of the claim's requirements that would allow them, of each at most one more than
// CLAIM_VALUES_MAX (claim_values.h). The list is replaced by a copy in solver->result if anything is added, since
// claims share theirs. O(classes of the claim × their node affinity).
void claim_add_excluded(Solver *solver, const Bin *claim, Requirements *requirements);
