// Setting pods aside: pods whose planning takes too long are left out of a solve so that the others can be planned.
//
// There are two cases. A class whose placing takes more than its share of the deadline is not placed any further
// (place/place.c). If preparing the input already takes too long, the pods with the largest specs are left out before
// the solve is tried again (plan.c).
#pragma once

#include "sched/plan.h"

// The message of a pod that is set aside.
#define SET_ASIDE_TEXT "planning it takes too long: it is set aside, so that others are planned, and tried alone later"
// The message of a pod that was not tried before the deadline.
#define DEADLINE_TEXT "the deadline of the plan came before its turn"

// Marks as ignored the pods of `input` whose spec weighs at least half as much as the heaviest one, in a copy of the
// vector of pods. Returns whether there were any. O(pods × terms).
bool set_aside_heaviest(Arena *arena, PlanInput *input);

// Marks the pods with these uids in the same way. O(pods + uids).
void set_aside_uids(Arena *arena, PlanInput *input, const SymbolVec *uids);
