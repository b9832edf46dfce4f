// Consolidation of one node: the first of them for which there is something to do. Reference lifecycle.md 4.13.
#pragma once

#include "disrupt/round.h"

// Takes a command for one of the nodes, those of the pools by turns; false: there is none. At most a what-if for each.
bool single_node_find(Round *round, const CandidateList *candidates);
