// Settling, after all pods are placed: the domains that spreads count and the domains of claims are decided.
#pragma once

#include "sched/solver.h"

// Whether a claim could become a node in a domain that some spread does not count any more, and that would violate the
// spread while it has no pods. After settle_domains no such claim may be opened. O(groups × (shapes + domains)).
bool brings_domain(Solver *solver, const Bin *bin);

// The label state of a claim of the pool, narrowed to the domains counted by the spreads that a further domain without
// pods would violate; LABEL_STATE_NONE: nothing is left. The cost of brings_domain.
uint32_t state_in_settled(Solver *solver, const Pool *pool, uint32_t state);

// Adds the domains of a claim to those over which settled spreads take their minimum. The cost of brings_domain.
void add_claim_to_settled(Solver *solver, const Bin *bin);

// Whether a spread keeps pods waiting. O(groups × classes).
bool domains_are_waited_for(const Solver *solver);

// Restricts the minimum of spreads that keep pods waiting to the domains with nodes (bin/settle.c). Returns whether
// anything changed.
bool settle_domains(Solver *solver);

// Has the settled spreads that hold over the domains they counted at first (`initial`: the groups as they were then)
// count these again: further pods may be in any of them. O(groups × domains).
void loosen_spreads(Solver *solver, const TopologyGroup *initial);
