// nodeclaim.hydration: the label of its NodeClass on every NodeClaim, for claims of older versions and of other makers.
// Reference lifecycle.md 0.1, 1.
#pragma once

#include "ctl/ctl.h"

// Key: a NodeClaim.
extern const Controller claim_hydration_controller;
