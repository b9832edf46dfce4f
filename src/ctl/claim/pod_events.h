// nodeclaim.podevents: stamps on a NodeClaim when something happened to the pods of its Node last
// (status.lastPodEventTime): consolidation waits for quiet. Reference lifecycle.md 2.7.
//
// An event is a pod that was bound, became terminal, or began to terminate (or vanished without); pods of DaemonSets do
// not count. Otherwise than in Karpenter, pods that are there when the process starts are no events (weak spot W13): a
// restart must not begin every wait anew.
#pragma once

#include "ctl/ctl.h"

enum { CLAIM_POD_EVENTS_PAUSE_S = 10 }; // between two writes; an event in between is dropped

// Key: a NodeClaim.
extern const Controller claim_pod_events_controller;
