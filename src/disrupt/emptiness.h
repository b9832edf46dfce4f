// Emptiness: nodes without a pod whose move costs anything. Reference lifecycle.md 4.7.
#pragma once

#include "disrupt/round.h"

// One command for all that budgets allow, highest price first.
void emptiness_find(Round *round);

// Of eligible nodes those that may go together: within budgets, and pods that cost nothing to move find a place on the
// other nodes. Nodes without pods come first.
CandidateList emptiness_choose(Round *round, const CandidateList *list);

// The command for what was chosen.
DisruptCommand emptiness_command(Round *round, const CandidateList *chosen);
