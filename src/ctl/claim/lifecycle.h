// nodeclaim.lifecycle: takes a NodeClaim from its creation to a Node that is ready for pods, and from its deletion to
// the end of its instance. Behaviour: reference lifecycle.md 2.
//
//     finalizer ─▶ launch ─▶ registration ─▶ initialization            liveness deletes what takes too long, early end
//                                                                      what will not come
//     deleting: deadline ─▶ Nodes gone ─▶ instance gone ─▶ finalizer gone
//
// Every pass derives the claim's progress from the State; each step is a file of its own (claim/launch.c,
// claim/early_end.c, claim/registration.c, claim/initialization.c, claim/liveness.c, claim/finalize.c). The note that
// the process keeps of a claim (claim/pass.h) only saves repeated calls to the cloud. A launch carries the claim's uid
// as its client token, so repeating a launch whose answer was lost returns the same instance.
//
// Differences from Karpenter:
//   one write per step    conditions are only written with the resourceVersion that they were read at, and the labels
//                         that a launch returns are stored before Launched becomes True, so no crash loses them;
//   launch retries        a failed launch is tried again after 1 s to 60 s, whatever else happens to the claim. Claims
//                         do not wait for each other, and one without an instance is capacity in flight (W9);
//   events                NodeClassNotReady is published (lifecycle.md 10), and so is the deletion of a claim by a
//                         timeout (LaunchTimeout, RegistrationTimeout), which is logged at INFO as well.
//
// Conditions about disruption (2.7: Drifted, Consolidatable) belong to another controller, which opens them with
// ctl/common/conditions as the steps here do.
#pragma once

#include "ctl/ctl.h"

enum {
    CLAIM_LAUNCH_MEMORY_S = 3600, // how long the result of a launch is kept while the status cannot be written
    CLAIM_LAUNCH_RETRY_S = 1,     // delay after the first failure; doubles with each further one
    CLAIM_LAUNCH_RETRY_MAX_S = 60,
    CLAIM_INSTANCE_POLL_S = 5, // interval of asking whether a terminated instance is gone
};

// Key: name of a NodeClaim.
extern const Controller claim_lifecycle_controller;

// Has the cloud asked now whether the claim's instance still exists: somebody says that it has ended. O(1).
void claim_lifecycle_look(Turn *turn, const NodeClaim *claim);
