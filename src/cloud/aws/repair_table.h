// The repair policies of EC2's nodes, whose conditions the EKS node monitoring agent writes. Reference changes.md 1.9.
//
// Errors of accelerators that a reboot would cure replace the node, as in Karpenter without its gate RebootForRepair.
#pragma once

#include "model/repair_policy.h"

RepairPolicies aws_repair_policies(void);
