// Registration step of nodeclaim.lifecycle: finds the Node that joined for a NodeClaim, labels and taints it, and sets
// condition Registered.
#pragma once

#include "ctl/claim/pass.h"

void claim_register(ClaimPass *pass);
