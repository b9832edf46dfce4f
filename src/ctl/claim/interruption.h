// interruption: what the cloud says about instances before it does something to them, with the setting
// interruption-queue. Behaviour: reference aws.md 7.7.
//
// A NodeClaim whose instance will be interrupted, stopped or changed, or has been, is deleted: its drain begins at
// once, and the provisioner plans for its pods in the same moment. The offering counts as unavailable from then on; the
// cloud sees to that. A recommendation is an event only. A message is settled when what it asks for has been done;
// until then the cloud hands it over again, also to the next process.
#pragma once

#include "ctl/ctl.h"

enum { INTERRUPTION_PAUSE_S = 2 }; // between two calls, which wait for messages themselves where the cloud can

// Key: {0}.
extern const Controller interruption_controller;

// How the kind of a message is called in metrics ("spot_interrupted"); "no_op" for those that ask for nothing.
const char *interruption_kind(CloudMessageKind kind);
