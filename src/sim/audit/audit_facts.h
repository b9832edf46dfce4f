// Facts about claims, pods and volumes for the rules.
#pragma once

#include "sim/audit/audit_parts.h"

// The deadline of a NodeClaim's drain (annotation karpenter.sh/nodeclaim-termination-timestamp); INT64_MAX: none.
int64_t audit_deadline(const Audit *audit, const NodeClaim *claim);

// The claim whose Node it is; NULL: there is none, or more than one.
const NodeClaim *audit_claim_of_node(const Audit *audit, Symbol node_name);

// Whether a drain has to wait for the pod (lifecycle.md 0.5).
bool audit_holds_drain(const Audit *audit, const Pod *pod);

// Name of the volume; SYMBOL_EMPTY: its claim does not exist, or has none.
Symbol audit_volume_of(const Audit *audit, const Pod *pod, const PodVolume *used);
