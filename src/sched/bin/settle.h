// What can still be decided when nothing moves any more: domains of spreads and of claims.
#pragma once

#include "sched/solver.h"

// Whether a claim could become a node in a domain that some spread counts no longer: after settle_domains no such claim
// may be opened. O(groups × shapes).
bool brings_domain(Solver *solver, const Bin *bin);

// Ties a waiting spread's count to the nodes that there will be (bin/settle.c); whether anything changed.
bool settle_domains(Solver *solver);
