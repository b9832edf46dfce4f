// instance.garbagecollection: ends instances whose NodeClaim is gone (a launch that was on its way when the claim was
// deleted, a process that died between launch and note). Reference aws.md 7.2.
//
// Instances are listed first and looked for among the NodeClaims afterwards, so that a claim of the meantime is seen.
// An instance younger than 30 s is left alone; so is one whose NodeClaim is there and has no provider id yet: its
// launch is being noted (Karpenter would end it).
#pragma once

#include "ctl/ctl.h"

// Every 10 s for the first 20 passes, then every two minutes.
extern const Controller instance_collection_controller;
