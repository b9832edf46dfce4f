// The end of commands of disruption: deletions of their NodeClaims, and evictions.
#pragma once

#include "sim/audit/audit_parts.h"

// Checks a deletion of a NodeClaim by tenon.
void audit_check_deletion(Audit *audit, KubeRef ref, const KubeDeletion *deletion);

// Checks that the node of a pod which tenon evicts is tainted, so that the pod cannot come back.
void audit_check_tainted(Audit *audit, const Pod *pod);
