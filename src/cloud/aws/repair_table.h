// The repair policies of EC2's nodes, whose conditions the EKS node monitoring agent writes. Reference changes.md 1.9.
//
// Errors of accelerators that a reboot cures replace the node without the gate RebootForRepair.
#pragma once

#include "model/repair_policy.h"

RepairPolicies aws_repair_policies(void);
