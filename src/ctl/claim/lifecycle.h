// nodeclaim.lifecycle: from a NodeClaim to a Node that is ready for pods, and back. Reference lifecycle.md 2.
//
//     finalizer ─▶ launch ─▶ registration ─▶ initialization            liveness deletes what takes too long
//     deleting: deadline ─▶ Nodes gone ─▶ instance gone ─▶ finalizer gone
//
// Every pass finds out from the State how far the claim is; one file per step (claim_launch, claim_registration,
// claim_initialization, claim_liveness, claim_finalize). What the process remembers besides (claim/pass.h) only keeps
// it from asking the cloud twice: a launch carries the claim's uid as its token, so an answer that was lost is given
// again.
//
// Otherwise than in Karpenter:
//   one step, one write   a list of conditions is never written without the revision that it was read at, and what a
//                         launch says about labels is stored before Launched becomes True, so no crash loses it;
//   waiting               a failed launch is tried again after 1 s to 60 s whatever else happens to the claim, and
//                         nobody waits for it: claims are independent, and an unlaunched one is capacity in flight
//                         (W9);
//   events                NodeClassNotReady is published (lifecycle.md 10), and why a claim goes for its age
//                         (LaunchTimeout, RegistrationTimeout), which is said at INFO as well.
//
// Conditions that say whether a claim may be disrupted (2.7: Drifted, Consolidatable) are another controller's; it
// opens them with ctl/conditions as the steps here do.
#pragma once

#include "ctl/ctl.h"

enum {
    CLAIM_LAUNCH_MEMORY_S = 3600, // how long the result of a launch is kept for a status that cannot be written
    CLAIM_LAUNCH_RETRY_S = 1,     // after the first failure; doubled by each further one
    CLAIM_LAUNCH_RETRY_MAX_S = 60,
    CLAIM_INSTANCE_POLL_S = 5, // until the cloud says that the instance is gone
};

// Key: a NodeClaim.
extern const Controller claim_lifecycle_controller;
