// Consolidation of several nodes at once: the longest prefix of them that can go together. Reference lifecycle.md 4.12.
#pragma once

#include "disrupt/round.h"

// Takes a command for at least two of the nodes; false: there is none. O(log nodes) what-ifs.
bool multi_node_find(Round *round, const CandidateList *candidates);
