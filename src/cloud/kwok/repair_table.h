// The repair policies of KWOK's Nodes: their readiness, and two conditions that somebody writes to try repair out.
// Reference lifecycle.md 8.
//
// KWOKRebootRequired reboots the Node, with the gate RebootForRepair: it gets another boot id.
#pragma once

#include "model/repair_policy.h"

RepairPolicies kwok_repair_policies(void);
