// Initialization step of nodeclaim.lifecycle: condition Initialized becomes True when the claim's Node is ready for
// pods.
#pragma once

#include "ctl/claim/pass.h"

void claim_initialize(ClaimPass *pass);
