// nodeclaim.garbagecollection: deletes NodeClaims whose instance no longer exists in the cloud. Behaviour: reference
// lifecycle.md 2.10.
//
// Difference from Karpenter: an instance that is missing from the list is looked up by its id before its claim is
// deleted, and a claim whose instance is younger than 30 s is left alone. EC2's descriptions lag behind its launches,
// and a claim deleted by mistake takes a good node with it.
#pragma once

#include "ctl/ctl.h"

enum { CLAIM_COLLECTION_PERIOD_S = 120, CLAIM_COLLECTION_AGE_S = 30 };

// Key: {0}, one for all claims.
extern const Controller claim_collection_controller;
