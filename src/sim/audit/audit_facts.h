// What rules ask of claims, pods and volumes.
#pragma once

#include "sim/audit/audit_parts.h"

// The deadline of a NodeClaim's drain (annotation karpenter.sh/nodeclaim-termination-timestamp); INT64_MAX: none.
int64_t audit_deadline(const Audit *audit, const NodeClaim *claim);

// The claim whose node it is; NULL: none, or not one.
const NodeClaim *audit_claim_of_node(const Audit *audit, Symbol node_name);

// Whether a drain has to wait for the pod (lifecycle.md 0.5).
bool audit_holds_drain(const Audit *audit, const Pod *pod);

// The volume's name; SYMBOL_EMPTY: its claim is not there, or has none.
Symbol audit_volume_of(const Audit *audit, const Pod *pod, const PodVolume *used);
