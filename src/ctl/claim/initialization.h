// Initialization: the claim's Node can be used.
#pragma once

#include "ctl/claim/pass.h"

void claim_initialize(ClaimPass *pass);
