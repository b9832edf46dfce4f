// interruption: what the cloud says about instances before it does something to them, with the setting
// interruption-queue. Behaviour: reference aws.md 7.7.
//
// A NodeClaim whose instance will be interrupted, stopped or changed, or has been, is deleted: its drain begins at
// once, and the provisioner plans for its pods in the same moment. The offering counts as unavailable from then on; the
// cloud sees to that. A recommendation is an event only (common/reaction.h). A message is settled when what it asks for
// has been done; until then the cloud hands it over again, also to the next process.
#pragma once

#include "ctl/ctl.h"

enum {
    INTERRUPTION_PAUSE_S = 2,   // behind a call that brought nothing; it has waited itself where the cloud can
    INTERRUPTION_EARLY_S = 120, // an instance that ends sooner without a Node is asked about (claim/early_end.h)
};

// Key: {0}.
extern const Controller interruption_controller;
