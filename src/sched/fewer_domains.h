// Fewer domains for new claims. A spread counts the domains that have nodes, so a plan that brings no node to some
// domain may place pods for which a node there would leave no place.
#pragma once

#include "sched/solver.h"

enum { FEWER_DOMAINS_MAX = 8 }; // domains of a key, at most

typedef Vec(LabelSetId) LabelSetIdVec;

// Appends constraints that keep new claims out of one domain, or in one alone, for each key whose spreads keep pods
// waiting that a pool could serve. `initial`: the topology groups before pods were placed, whose domains count. Nothing
// for keys with more than FEWER_DOMAINS_MAX domains. O(groups × classes × pools + keys × domains).
void fewer_domains_find(Solver *solver, const TopologyGroup *initial, bool alone, Arena *arena,
                        LabelSetIdVec *ret_sets);
