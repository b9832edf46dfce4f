// nodeclaim.consistency: says when a Node has less than its NodeClaim promised. It reports, nothing else.
// Reference lifecycle.md 2.11; condition ConsistentStateFound (2.7). Karpenter looks first when the Node joins,
// compares nothing yet, and then waits ten minutes; here the first look is when the claim is initialized.
#pragma once

#include "ctl/ctl.h"

enum { CLAIM_CONSISTENCY_PERIOD_S = 600, CLAIM_CONSISTENCY_PERCENT = 90 };

// Whether the Node has nine tenths of each resource that was asked for. A claim that becomes initialized says so in the
// same write.
bool claim_is_consistent(const NodeClaim *claim, const Node *node);

// Key: a NodeClaim.
extern const Controller claim_consistency_controller;
