// Consolidation of the whole fleet at once: any number of nodes to any number of cheaper ones. docs/design/disrupt.md.
#pragma once

#include "disrupt/round.h"

// Takes commands for all that the budgets allow, those that save most first. O(sched/fleet/fleet_search.h).
void fleet_find(Round *round);

// Whether the nodes' pods still need nothing that costs as much as the nodes: the command with the new nodes of the
// answer, which may be others than those that were proposed.
bool fleet_prove(Round *round, const CandidateList *list, const WhatifAnswer *answer, DisruptCommand *ret_command);
