// nodeclaim.garbagecollection: deletes NodeClaims whose instance vanished. Reference lifecycle.md 2.10.
#pragma once

#include "ctl/ctl.h"

enum { CLAIM_COLLECTION_PERIOD_S = 120 };

// Key: {0}.
extern const Controller claim_collection_controller;
