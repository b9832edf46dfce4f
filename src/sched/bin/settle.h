// What can still be decided when nothing moves any more: domains of spreads and of claims.
#pragma once

#include "sched/solver.h"

// Whether a claim could become a node in a domain that some spread counts no longer, and that it does not bear without
// pods: after settle_domains no such claim may be opened. O(groups × (shapes + domains)).
bool brings_domain(Solver *solver, const Bin *bin);

// The state of a claim narrowed to the domains that spreads count, where they bear no others; LABEL_STATE_NONE: nothing
// is left. The same cost.
uint32_t state_in_settled(Solver *solver, const Pool *pool, uint32_t state);

// Takes the minimum of settled spreads over the domains of a claim, too. The same cost.
void add_claim_to_settled(Solver *solver, const Bin *bin);

// Ties a waiting spread's count to the nodes that there will be (bin/settle.c); whether anything changed.
bool settle_domains(Solver *solver);
