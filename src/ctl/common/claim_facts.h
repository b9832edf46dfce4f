// Facts about a NodeClaim that several controllers need, and what they do about completions of its writes. Behaviour:
// reference lifecycle.md 0.1, 0.2.
#pragma once

#include "ctl/ctl.h"

// Whether the claim refers to the NodeClass kind of this provider: tenon ignores all others.
bool claim_is_managed(const NodeClaim *claim, const Symbols *symbols, const Settings *settings);

// Whether the claim has the finalizer karpenter.sh/termination.
bool claim_is_held(const NodeClaim *claim, const Symbols *symbols);

// Whether the condition is present with status True.
bool claim_is(const NodeClaim *claim, const Symbols *symbols, const char *condition);

// Whether the claim's Node registered longer ago than the registration timeout and never became initialized. Pods do
// not wait for such a node: the planner does not count it as capacity. In Karpenter they wait until somebody repairs
// the node.
bool claim_is_stuck(const NodeClaim *claim, const Symbols *symbols, const Settings *settings, int64_t now_ns);

// The claim of that key if it exists and is managed, else NULL.
const NodeClaim *claim_of_key(const Turn *turn, Key key, Handle *ret_handle);

static inline Key claim_key(const NodeClaim *claim) {
    return (Key){.name = claim->meta.name};
}

// The only Node with the claim's provider id; NULL when there is none or there are several.
const Node *claim_node(const State *state, const NodeClaim *claim);

// The claim that a change of a NodeClaim ended (removed, or replaced by another one of its name), and the claim that it
// began (one that did not exist before). NULL: none.
const NodeClaim *claim_ended(const StateChange *change);
const NodeClaim *claim_begun(const StateChange *change);

// A provider's message as it is written to conditions and events: cut to 300 bytes, with "..." where something was cut.
Slice claim_message(Arena *arena, Slice text);
// The same, cut to so many bytes.
Slice claim_text(Arena *arena, Slice text, size_t most);

// The standard answer of a controller to the completion of a batch of writes: on success resets the key's back-off; on
// failure retries with back-off and logs the error. A conflict is retried but not logged; an object that was not found
// is dropped.
void claim_settle(Turn *turn, Key key, const Completion *last);
// Annotation of a claim that is to have an instance which is there already (ctl/claim/link.h): its provider id.
#define CLAIM_LINKED "karpenter.sh/linked"
// That provider id; NAME_EMPTY: the claim launches its instance. O(annotations).
Symbol claim_linked(const NodeClaim *claim, const Symbols *symbols);

// Logs a failure that is not one of a write, and retries the key with back-off.
void claim_fail(Turn *turn, Key key, Slice why);
// Logs the failure of an intent aside that the next round repeats anyway; conflicts and not-found are not logged.
void claim_log_failure(Turn *turn, const Completion *completion);
