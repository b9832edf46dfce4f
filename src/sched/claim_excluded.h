// Label values that a claim's pods exclude though nothing in the world has them. They are no atoms of the universe, so
// the claim's label state cannot name them; its requirements do, for whoever chooses the value of such a label.
#pragma once

#include "sched/solver.h"

// Adds `NotIn` of such values to those of the claim's requirements that would allow them. The list is copied first
// where anything is added, for claims share theirs. O(classes of the claim × their node affinity).
void claim_add_excluded(Solver *solver, const Bin *claim, Requirements *requirements);
