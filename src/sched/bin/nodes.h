// Existing nodes as bins, and the pods bound to them as counts of topology groups.
#pragma once

#include "sched/bin/bound_rules.h"

// Mentions the labels of nodes and instance types to the universe, before it is frozen.
void solver_mention_nodes(Solver *solver);

// Makes a bin of each node that is not being deleted; its bound pods are subtracted from its room and counted.
void solver_make_nodes(Solver *solver, const BoundPod *bound);
