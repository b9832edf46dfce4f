// nodeclaim.hydration: puts the label that names the NodeClass on NodeClaims that lack it: those of older versions, and
// those that others created. Behaviour: reference lifecycle.md 0.1, 1.
#pragma once

#include "ctl/ctl.h"

// Key: name of a NodeClaim.
extern const Controller claim_hydration_controller;
