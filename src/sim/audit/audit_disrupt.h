// The beginning of commands of disruption: records, taints and conditions as they appear.
#pragma once

#include "sim/audit/audit_parts.h"

void audit_observe_claim(Audit *audit, const NodeClaim *before, const NodeClaim *after);
void audit_observe_node(Audit *audit, const Node *before, const Node *after);
