// instance.garbagecollection: terminates instances that have no NodeClaim. An orphan is left when a process dies
// between a launch and writing it to the NodeClaim's status, and the claim is deleted before the launch is repeated.
// Behaviour: reference aws.md 7.2.
//
// Period: 10 s for the first 20 rounds, 2 min afterwards.
#pragma once

#include "ctl/ctl.h"

enum {
    CLAIM_ORPHANS_FIRST_PERIOD_S = 10,
    CLAIM_ORPHANS_FIRST_ROUNDS = 20,
    CLAIM_ORPHANS_PERIOD_S = 120,
    CLAIM_ORPHANS_AGE_S = 30, // younger instances are left alone
};

// Key: {0}, one for all instances.
extern const Controller claim_orphans_controller;
