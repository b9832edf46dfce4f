// instance.garbagecollection: ends instances that no NodeClaim stands for: a process died between a launch and its
// record, and the claim went away before the next one could repeat it. Reference aws.md 7.2.
//
// Every 10 s for the first 20 times, then every 2 min.
#pragma once

#include "ctl/ctl.h"

enum {
    CLAIM_ORPHANS_FIRST_PERIOD_S = 10,
    CLAIM_ORPHANS_FIRST_ROUNDS = 20,
    CLAIM_ORPHANS_PERIOD_S = 120,
    CLAIM_ORPHANS_AGE_S = 30, // younger instances are left alone
};

// Key: {0}.
extern const Controller claim_orphans_controller;
