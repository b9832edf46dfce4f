// What the controllers of Nodes ask about a Node and the NodeClaim it stands for. Reference lifecycle.md 0.2, 3.1.
#pragma once

#include "ctl/settings.h"
#include "state/state.h"

// Carries the label of the provider's NodeClass: it is Karpenter's. Others are left alone. O(log labels).
bool node_is_managed(const Node *node, const Symbols *symbols, const Settings *settings);

// Managed, deleting, and held by Karpenter's finalizer: it is being drained or about to be.
bool node_is_terminating(const Node *node, const Symbols *symbols, const Settings *settings);

// Condition Ready is True. Missing counts as not ready.
bool node_is_ready(const Node *node, const Symbols *symbols);

// Has the taint karpenter.sh/disrupted:NoSchedule: no new pods come.
bool node_is_disrupted(const Node *node);

// The only NodeClaim with the Node's provider id; NULL: none, or several (lifecycle.md 3.1: then the Node is treated as
// one without).
const NodeClaim *node_claim(const State *state, const Node *node);

// When every pod must be gone: annotation karpenter.sh/nodeclaim-termination-timestamp. INT64_MAX: no claim or no
// annotation. ERR_INVALID: not a time.
ErrCode node_deadline(const NodeClaim *claim, const Symbols *symbols, int64_t *ret_deadline_ns, Err *err);

// For whoever writes: the names above.
extern const Slice node_finalizer;
extern const Slice node_deadline_annotation;
