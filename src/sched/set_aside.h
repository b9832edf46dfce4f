// Pods that are left out of a solve so that the others can be planned: those that take too long.
//
// Two ways lead here. A class whose placing takes more than its share of the deadline is not placed any further
// (place/place.c). Where the deadline comes before anything can be placed, what is asked of nodes is too much already:
// then the pods that ask most are left out and the rest is solved, by what stands in their specs.
#pragma once

#include "sched/plan.h"

// What is said of such a pod.
#define SET_ASIDE_TEXT "planning it takes too long: it is set aside, so that others are planned, and tried alone later"
// And of one whose turn did not come.
#define DEADLINE_TEXT "the deadline of the plan came before its turn"

// Marks the pods of `input` that ask at least half as much as the one that asks most as ignored, in a copy of its
// vector; says whether there were any. O(pods × terms).
bool set_aside_heaviest(Arena *arena, PlanInput *input);

// Marks those with these uids. O(pods + uids).
void set_aside_uids(Arena *arena, PlanInput *input, const SymbolVec *uids);
