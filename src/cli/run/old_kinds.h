// The kinds of 2023 in the cluster of `tenon run`: which of them it knows, and their settings.
//
// Definitions may come and go while it runs: the API server is asked for them every 15 s, and once it knows them every
// half minute; the bridge has watches list again when that changes, and a line of the log says so. In a cluster without
// the definition of Provisioner nothing is different. The ConfigMap karpenter-global-settings is read once, at the
// start, as Karpenter did since v0.24: reference legacy.md 5.5. If the API server does not answer then, a line of the
// log says later that they are not in force. What it says of the process is in old_settings.h.
#pragma once

#include "cli/run/asker.h"
#include "cli/run/json_log.h"
#include "legacy/bridge/bridge.h"

typedef struct {
    Kube kube; // the one to use: shows old objects as today's
    // Internal.
    Arena arena;
    Kube asks;
    JsonLog *log;
    Bridge *bridge;
    Asker *asker;
    uint32_t known; // BRIDGE_KNOWS_…; the asker's, once there is one, as are the next three
    bool answers;   // the API server said whether it knows the kinds, when it was asked last
    // Machines may be there, and nobody allowed to list them: for good, since the State has them later than the bridge.
    atomic_bool hides_machines; // Settings.machines_are_hidden
    bool is_learnt;             // it has done so once; what is known until then is presumed
    bool is_unread;             // it did not, and the settings could not be read
    Value settings;             // the ConfigMap; null: there is none, or it cannot be read
    Slice name;                 // "configmap NAMESPACE/NAME", for messages
} OldKinds;

// Asks the API server, reads the ConfigMap of namespace `ns` (empty: none), and puts the bridge before `kube`. `asks`:
// for questions; its calls should end within seconds. A server that does not answer may know the kinds. At most four
// calls.
ErrCode old_kinds_open(OldKinds *old, Kube kube, Kube asks, Slice ns, JsonLog *log, Err *err);
void old_kinds_close(OldKinds *old);
// Asks the API server again, which happens by itself now and then. At most three calls.
void old_kinds_ask(OldKinds *old);

// Whether the cluster knows Provisioners. Before the first wait of the process.
bool old_kinds_are_there(const OldKinds *old);
