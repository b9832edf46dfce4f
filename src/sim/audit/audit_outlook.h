// What tenon tells others of nodes that will go: deletion costs of pods, and a taint (docs/design/ctl-outlook.md).
#pragma once

#include "sim/audit/audit_parts.h"

// Checks that a patch of a pod does not change a deletion cost that somebody else wrote. O(body).
void audit_check_cost(Audit *audit, KubeRef ref, const KubePatch *patch);

// Checks that nodes which are preferred against say since when, in both of the ways or in none, and that no pod is kept
// away. O(Nodes).
void audit_check_preferred(Audit *audit);
