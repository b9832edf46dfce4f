// nodeclaim.reboot: restarts the machine of a sick node that a restart may cure. Behaviour: reference changes.md 2.
//
// Disruption decides and writes (ctl/disruption/reboot.c): the NodeClaim gets condition Rebooting (True,
// RebootRequested) and the longest its drain may take. From there this controller goes on by what the State says, so a
// restart of tenon loses nothing: the Node is fenced by the taint karpenter.sh/rebooting:NoSchedule and drained as for
// a termination; pods that are left at the bound stay, and start again with the machine. The boot id of the Node is
// recorded on the NodeClaim, then the cloud is asked (RebootIssued). Another boot id means that the machine has
// restarted; when the Node is ready, too, the reboot has succeeded, and ordinary initialization follows. A reboot that
// the cloud refuses, or that does not come back in time, is final: the NodeClaim is deleted, and its node replaced.
#pragma once

#include "ctl/ctl.h"

enum {
    REBOOT_POLL_S = 15,
    REBOOT_DRAIN_LEAST_S = 5,    // between the fence and the call
    REBOOT_ISSUE_MAX_S = 300,    // how long the cloud may be asked in vain; of one process
    REBOOT_RECOVERY_S = 20 * 60, // from the call until the Node is ready again
};

// Key: name of a NodeClaim.
extern const Controller reboot_controller;

// Whether the Node's pods are to leave it, or to stay behind, before its machine is rebooted.
bool node_awaits_reboot(const Turn *turn, const Node *node);
