// Which candidates a method may choose from. Reference lifecycle.md 4.2, 4.3, 4.6.
#pragma once

#include "disrupt/round.h"

// How careful the method is with pods that must not be evicted now.
DisruptionClass eligible_class(DisruptMethod method);

// Whether the method may choose an open candidate. ret_why: what the event Unconsolidatable says when it may not;
// empty: nothing.
bool is_eligible(const Round *round, DisruptMethod method, const DisruptionCandidate *candidate, Slice *ret_why);
