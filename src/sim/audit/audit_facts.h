// Facts about claims, pods and volumes for the rules.
#pragma once

#include "sim/audit/audit_parts.h"

Slice audit_text(const Audit *audit, Symbol symbol);

// Whether a deletion is about the object of that uid: one with another uid will be refused.
bool audit_means(const Audit *audit, const KubeDeletion *deletion, Symbol uid);

// The pod of a call; NULL: there is none.
const Pod *audit_find_pod(const Audit *audit, KubeRef ref);

// The deadline of a NodeClaim's drain (annotation karpenter.sh/nodeclaim-termination-timestamp); INT64_MAX: none.
int64_t audit_deadline(const Audit *audit, const NodeClaim *claim);

// The claim whose Node it is; NULL: there is none, or more than one.
const NodeClaim *audit_claim_of_node(const Audit *audit, Symbol node_name);

// The claim that an instance was launched for: the one that the cloud was told, or, by AWS's API, where it is not told,
// one that says so. NULL: there is none, or no more.
const NodeClaim *audit_claim_of_instance(const Audit *audit, const SimInstance *instance);

// Whether the claim's condition of that type is True; NULL: no.
bool audit_claim_is(const Audit *audit, const NodeClaim *claim, const char *type);

// Whether tenon, whose view of the cluster lags behind, must have seen by now what came to be then: a minute ago.
bool audit_is_old(const Audit *audit, int64_t since_ns);

// When the NodePool's spec was last changed.
int64_t audit_pool_changed_ns(const Audit *audit, Symbol pool);

// Whether the Node has the taint karpenter.sh/disrupted:NoSchedule.
bool audit_is_tainted(const Node *node);
// The same of karpenter.sh/rebooting.
bool audit_is_fenced(const Node *node);

// Whether the eviction API would be called for the pod, which is neither terminal nor going.
bool audit_is_evictable(const Audit *audit, const Pod *pod);

// Whether a drain has to wait for the pod (lifecycle.md 0.5).
bool audit_holds_drain(const Audit *audit, const Pod *pod);

// Name of the volume; SYMBOL_EMPTY: its claim does not exist, or has none.
Symbol audit_volume_of(const Audit *audit, const Pod *pod, const PodVolume *used);
