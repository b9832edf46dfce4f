// nodeclaim.expiration: deletes a NodeClaim when its time (spec.expireAfter since its creation) is over, whatever runs
// on it; budgets do not count. Reference lifecycle.md 2.9.
//
// At most one a second: claims of one age would otherwise go together (weak spot W15; Karpenter's one worker that
// sleeps after each deletion has the same effect).
#pragma once

#include "ctl/ctl.h"

enum { CLAIM_EXPIRATION_PAUSE_S = 1 };

// Key: a NodeClaim.
extern const Controller claim_expiration_controller;
