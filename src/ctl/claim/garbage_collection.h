// nodeclaim.garbagecollection: deletes NodeClaims whose instance vanished. Reference lifecycle.md 2.10.
//
// Otherwise than in Karpenter an instance that the list does not show is asked for by itself before its claim goes, and
// not at all while it is younger than 30 s: descriptions of a cloud lag behind (quirk of EC2), and a claim that goes by
// mistake takes a good node with it.
#pragma once

#include "ctl/ctl.h"

enum { CLAIM_COLLECTION_PERIOD_S = 120, CLAIM_COLLECTION_AGE_S = 30 };

// Key: {0}.
extern const Controller claim_collection_controller;
