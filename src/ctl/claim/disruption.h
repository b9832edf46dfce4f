// nodeclaim.disruption: the conditions Consolidatable, Drifted and Empty of a NodeClaim. Reference
// lifecycle.md 2.7, 4.8; legacy.md 4.
//
// Consolidatable: the claim is initialized, and no pod has come to or gone from its node for consolidateAfter. Drifted:
// the claim is not what its NodePool, the provider's instance types or its NodeClass say now; the reason names the
// first of them. The provider is asked every five minutes, and at once when the NodeClass changes. Empty, of
// Provisioners with ttlSecondsAfterEmpty alone: no pod on the node needs another place.
#pragma once

#include "ctl/ctl.h"

enum { CLAIM_DRIFT_PERIOD_S = 300, CLAIM_TYPE_AGE_S = 3600, CLAIM_TYPE_PERIOD_S = 1800 };

// The merge patch by which a claim whose node was just disturbed is no longer Consolidatable, to which the caller adds
// the time of that; in the turn's arena. `ret_revision`: the patch's precondition; 0 with an empty patch, where the
// condition is absent or stays. O(conditions).
Value *claim_disturb(Turn *turn, const NodeClaim *claim, KubeRevision *ret_revision);

// Key: a NodeClaim.
extern const Controller claim_disruption_controller;
