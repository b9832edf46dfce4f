// The provisioner: pods that wait for a node in, NodeClaims out. Karpenter's controllers `provisioner`,
// `provisioner.trigger.pod` and `provisioner.trigger.node` in one.
//
// Behaviour: reference scheduling.md 4, 5.1, 6 and lifecycle.md 2.2. What is done otherwise, and why:
//   batching      an idle cluster plans on the leading edge (provision/batch.h);
//   in flight     a NodeClaim that has not launched is capacity of the next plan and never stops planning
//                 (lifecycle.md W9). One plan at a time: no solve begins before all creates of the last one were
//                 answered, and an answered create is in the State, so a pod is never planned for by an old picture;
//   storms        launches are bounded by budgets (provision/launch_budget.h).
//
// What the process remembers is which pod was planned for which claim (provision/index.h): it keeps a pod whose node
// is on its way from causing plans. Losing it costs one plan, in which such pods find their nodes as capacity.
#pragma once

#include "ctl/ctl.h"

extern const Controller provisioner_controller;

// To be called by the one who finds that the cloud has no capacity for a claim, before the claim is deleted: the pods
// that were planned for it get the Warning event InsufficientCapacityError (changes.md 5.2; `error`: the
// provider's own words, cut at 300 bytes), the launch budget of the offering is cut, and the pods are planned anew once
// the claim is gone. Asks for a call of the provisioner with a key of its own; writes no intent. O(1).
void provision_no_capacity(Turn *turn, const NodeClaim *claim, Slice error);
