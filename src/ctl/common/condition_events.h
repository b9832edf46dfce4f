// status: an event for each condition of a NodeClaim or NodePool that changed, so that `kubectl describe` tells how it
// got where it is. Reference lifecycle.md 7.2 (awslabs/operatorpkg, status).
//
// Only what this process sees change is told, not what it finds when it starts. Of Nodes nothing is told here: the
// kubelet and the node controllers say themselves when a Node becomes ready.
#pragma once

#include "ctl/ctl.h"

extern const Controller condition_events_controller;
