// Nodes with room for a pod of a class, found once for many placements.
//
// Where changes are tried and undone many times, and nodes only ever fill up, a node that has no room for a pod now has
// none later. In a fleet that is well packed few nodes have room for a given pod, and looking at these few takes the
// place of scanning the loads of all.
#pragma once

#include "sched/place/marginal_state.h"

// Remembers which nodes have room for a pod of the class. From now on, and until the state is renewed, no node may get
// more room than it has now, but for bins that are removed from the index. Not while a change is open.
// O(1) if it is known already; else O(nodes × dims), vectorized.
void marginal_remember_room(Solver *solver, uint32_t class);

// Those nodes, and some that have none any more, in the order of the bins; NULL: not known, or so many that a scan
// costs no more. O(1).
const U32Vec *marginal_room(const Marginal *m, uint32_t class);
