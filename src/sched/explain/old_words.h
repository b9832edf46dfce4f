// Reasons of pools that are Provisioners, in the words of v0.31. Reference legacy.md 5.6.
#pragma once

#include "sched/explain/explanation.h"

// Says the text of a reason that is complete anew, if the pool is a Provisioner: which one, what its daemons take, and
// of types what they did not satisfy. O(requirements + types).
void explain_in_old_words(Explanation *e);
