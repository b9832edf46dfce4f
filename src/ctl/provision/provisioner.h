// The provisioner: plans pending pods and creates NodeClaims for them. Karpenter's controllers `provisioner`,
// `provisioner.trigger.pod` and `provisioner.trigger.node` in one.
//
// Behaviour: reference scheduling.md 4, 5.1, 6 and lifecycle.md 2.2. Differences from Karpenter, and why:
//   batching      an idle cluster plans on the leading edge (provision/batch.h);
//   in flight     a NodeClaim that has not launched is capacity of the next plan and never blocks planning
//                 (lifecycle.md W9). One plan at a time: no solve begins before all creates of the last one were
//                 answered, and an answered create is in the State, so no plan is made from a stale State;
//   storms        launches are bounded by budgets (provision/launch_budget.h).
//
// Process memory: which pod was planned for which claim (provision/index.h), so that a pod whose node is on its way
// does not trigger another plan. Losing it costs one plan, which finds those nodes as capacity.
#pragma once

#include "ctl/ctl.h"

extern const Controller provisioner_controller;

// Reports that the cloud has no capacity for a claim; to be called before the claim is deleted. The pods that were
// planned for it get the Warning event InsufficientCapacityError (changes.md 5.2; `error`: the provider's message, cut
// to 300 bytes), the launch budget of the offering is cut, and the pods are planned again once the claim is gone.
// Enqueues the provisioner with a key of its own; writes no intent. O(1).
void provision_no_capacity(Turn *turn, const NodeClaim *claim, Slice error);
