// Facts about a Node and its NodeClaim that several controllers need. Behaviour: reference lifecycle.md 0.2, 3.1.
#pragma once

#include "ctl/settings.h"
#include "state/state.h"

// Whether the Node carries the label of the provider's NodeClass: it is Karpenter's. Other Nodes are left alone. O(log
// labels).
bool node_is_managed(const Node *node, const Symbols *symbols, const Settings *settings);

// Whether the Node is managed, deleting, and held by Karpenter's finalizer: it is being drained or about to be.
bool node_is_terminating(const Node *node, const Symbols *symbols, const Settings *settings);

// Whether the Node has the taint karpenter.sh/disrupted:NoSchedule: no new pods are scheduled to it.
bool node_is_disrupted(const Node *node);
// The same of the taint karpenter.sh/rebooting:NoSchedule.
bool node_is_fenced(const Node *node);

// The only NodeClaim with the Node's provider id; NULL when there is none or there are several (lifecycle.md 3.1:
// several are treated as none).
const NodeClaim *node_claim(const State *state, const Node *node);

// The termination deadline, by which every pod must be gone: annotation karpenter.sh/nodeclaim-termination-timestamp.
// INT64_MAX: no claim, or no annotation. ERR_INVALID: the annotation is not a time.
ErrCode node_deadline(const NodeClaim *claim, const Symbols *symbols, int64_t *ret_deadline_ns, Err *err);

// The finalizer and the annotation above, for writing them.
extern const Slice node_finalizer;
extern const Slice node_deadline_annotation;
