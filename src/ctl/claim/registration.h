// Registration: the claim's Node is there.
#pragma once

#include "ctl/claim/pass.h"

void claim_register(ClaimPass *pass);
