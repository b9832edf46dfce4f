// nodeclaim.expiration: deletes NodeClaims that are older than their spec.expireAfter, less some jitter
// (disrupt/expiration.h), whatever runs on them; disruption budgets do not apply. Behaviour: reference
// lifecycle.md 2.9.
//
// Rate limit: one deletion a second, so that claims of the same age do not all go at once (weak spot W15; in Karpenter
// the one worker that sleeps after each deletion has the same effect).
#pragma once

#include "ctl/ctl.h"

enum { CLAIM_EXPIRATION_PAUSE_S = 1 };

// Key: name of a NodeClaim.
extern const Controller claim_expiration_controller;
