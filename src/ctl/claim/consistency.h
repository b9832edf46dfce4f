// nodeclaim.consistency: reports in condition ConsistentStateFound (lifecycle.md 2.7) when a Node has less of a
// resource than its NodeClaim requested. It changes nothing else. Behaviour: reference lifecycle.md 2.11.
//
// Difference from Karpenter: Karpenter's first check comes when the Node joins, compares nothing yet, and the second
// one follows ten minutes later; here the first check comes when the NodeClaim is initialized.
#pragma once

#include "ctl/ctl.h"

enum { CLAIM_CONSISTENCY_PERIOD_S = 600, CLAIM_CONSISTENCY_PERCENT = 90 };

// Whether the Node has at least nine tenths of each resource that the NodeClaim requests. claim_initialize asks, too,
// to write ConsistentStateFound together with Initialized.
bool claim_is_consistent(const NodeClaim *claim, const Node *node);

// Key: name of a NodeClaim.
extern const Controller claim_consistency_controller;
