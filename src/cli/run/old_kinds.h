// The kinds of 2023 in the cluster of `tenon run`: whether it knows them, and their settings.
//
// Asked once, at the start: in a cluster without the definition of Provisioner nothing is different. Definitions that
// are installed later count from the next start on, as Karpenter's did. So do changes of the ConfigMap
// karpenter-global-settings, which was not read again since v0.24: reference legacy.md 5.5.
#pragma once

#include "legacy/bridge/bridge.h"

typedef struct {
    Arena arena;
    Bridge *bridge; // NULL: the cluster has no Provisioners
} OldKinds;

// Asks the API server, and returns the Kube to use: `kube` itself, or one that shows old objects as today's. A server
// that does not answer may know them. `ns`: of the ConfigMap; empty: none is read. At most three calls.
Kube old_kinds_open(OldKinds *old, Kube kube, Slice ns);
void old_kinds_close(OldKinds *old);
