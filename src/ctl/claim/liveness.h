// Liveness step of nodeclaim.lifecycle: deletes a NodeClaim that was not launched or registered within its timeout.
#pragma once

#include "ctl/claim/pass.h"

// Returns false when the claim was deleted: the pass ends.
bool claim_check_liveness(ClaimPass *pass);
