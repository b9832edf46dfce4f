// The beginning of commands of disruption: records, taints and conditions as they appear.
#pragma once

#include "sim/audit/audit_parts.h"

// Take in that a NodeClaim has come, changed or gone, and that a Node has come or changed. O(pods of the node + claims
// of its pool) when it begins to be disrupted, else O(1).
void audit_observe_claim(Audit *audit, const NodeClaim *before, const NodeClaim *after);
void audit_observe_node(Audit *audit, const Node *node);

// The reason that the NodeClaim is disrupted for, as its condition has it; DISRUPTION_REASON_COUNT: none.
DisruptionReason audit_reason(const Audit *audit, const NodeClaim *claim);
