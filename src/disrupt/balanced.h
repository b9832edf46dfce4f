// consolidationPolicy Balanced: a move must save as large a share of its pool's cost as the half of its share of the
// pool's disruption. Reference lifecycle.md 4.15.
#pragma once

#include "disrupt/round.h"

// Whether every pool with that policy among the nodes' approves of a move that saves so much; others always do. `all`:
// the nodes that the method may choose from. O(nodes + pods of the pools).
bool balanced_approves(const Round *round, const CandidateList *all, const CandidateList *list, double saving_per_hour);

// Notes the scores of an approved move: on the node, or of several nodes on their pools.
void balanced_note(Round *round, const CandidateList *all, const CandidateList *list, double saving_per_hour);
