// What can be done about a few nodes together, as Karpenter decides it: drop them, or put one cheaper node in their
// place. Reference lifecycle.md 4.10, 4.11.
#pragma once

#include "disrupt/round.h"

// Leaves what the one replacement of the nodes may become: only what is cheaper than they are. False: nothing is left,
// and ret_why says why. `claim` is a copy.
bool classic_narrow(Round *round, const CandidateList *list, PlannedClaim *claim, Slice *ret_why);

// The command for the nodes. False: there is none, and ret_why says why, as the event Unconsolidatable does; it may be
// empty.
bool classic_compute(Round *round, const CandidateList *list, DisruptCommand *ret_command, Slice *ret_why);
