// Nodes and pods that are protected from voluntary disruption (lifecycle.md 4.3).
#pragma once

#include "sim/audit/audit_parts.h"

// Remembers since when a PodDisruptionBudget allows no disruption.
void audit_note_pod_budget(Audit *audit, const PodDisruptionBudget *before, const PodDisruptionBudget *after);

// Checks that a pod which tenon evicts is not do-not-disrupt: such a pod stays until a deadline has it deleted. And
// that it is not being surged (annotation tenon.sh/surge). O(pods) for one that asks to be.
void audit_check_evictable(Audit *audit, const Pod *pod);

// Checks that nothing protects a node which is disrupted from now on.
void audit_check_protected(Audit *audit, const NodeClaim *claim, const Node *node, DisruptionReason reason);
