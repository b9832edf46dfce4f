// Liveness: a claim that does not become a Node in time goes.
#pragma once

#include "ctl/claim/pass.h"

// False when the pass ends with it: the claim is deleted.
bool claim_check_liveness(ClaimPass *pass);
