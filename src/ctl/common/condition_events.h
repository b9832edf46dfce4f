// status: publishes an event for each condition of a NodeClaim or NodePool that changed, so that `kubectl describe`
// shows their history. Behaviour: reference lifecycle.md 7.2 (awslabs/operatorpkg, status).
//
// Only changes that this process observes are published, not conditions that it finds when it starts. Conditions of
// Nodes are left out: the kubelet and the node controllers publish events of their own.
#pragma once

#include "ctl/ctl.h"

extern const Controller condition_events_controller;
