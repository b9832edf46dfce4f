// nodeclaim.podevents: sets status.lastPodEventTime of a NodeClaim when the pods of its Node change; consolidation
// waits until that was some time ago. Behaviour: reference lifecycle.md 2.7.
//
// A pod event is a pod that was bound, became terminal, began to terminate, or vanished without terminating; pods of
// DaemonSets do not count, nor does anything on the node of a claim that is being deleted. The same patch takes the
// condition Consolidatable off, which the event ends (ctl/claim/disruption.h): one write and one watch event instead of
// two, and no conflict between them. Difference from Karpenter: pods that exist when the process starts are no events
// (weak spot W13), so that a restart does not begin every wait anew.
#pragma once

#include "ctl/ctl.h"

enum { CLAIM_POD_EVENTS_PAUSE_S = 10 }; // least time between two writes; events in between are dropped

// Key: name of a NodeClaim.
extern const Controller claim_pod_events_controller;
