// What the controllers of NodeClaims ask about a claim. Reference lifecycle.md 0.1, 0.2.
#pragma once

#include "ctl/ctl.h"

// Refers to the provider's NodeClass: it is tenon's to care for.
bool claim_is_managed(const NodeClaim *claim, const Symbols *symbols, const Settings *settings);

// Has the finalizer karpenter.sh/termination.
bool claim_is_held(const NodeClaim *claim, const Symbols *symbols);

// Whether the condition is there with status True.
bool claim_is(const NodeClaim *claim, const Symbols *symbols, const char *condition);

// Its node joined long ago (the registration timeout) and never became ready for pods. Whoever waits for it waits in
// vain: it is no room for them any more. Karpenter lets them wait until somebody repairs the node.
bool claim_is_stuck(const NodeClaim *claim, const Symbols *symbols, const Settings *settings, int64_t now_ns);

// The claim of that key if it is there and managed, else NULL.
const NodeClaim *claim_of_key(const Turn *turn, Key key, Handle *ret_handle);

static inline Key claim_key(const NodeClaim *claim) {
    return (Key){.name = claim->meta.name};
}

// The only Node with the claim's provider id; NULL: none, or several.
const Node *claim_node(const State *state, const NodeClaim *claim);

// Of a change of a NodeClaim: the claim that is not there any more (removed, or another one has its name now), and the
// one that was not there before. NULL: none.
const NodeClaim *claim_ended(const StateChange *change);
const NodeClaim *claim_begun(const StateChange *change);

// A provider's words as they stand in conditions and events: at most 300 bytes, "..." behind what was cut.
Slice claim_message(Arena *arena, Slice text);

// What a controller does about a batch of writes: forgets the backoff of the key when all went well; else tries again
// with backoff and logs what failed, but not a conflict (somebody was quicker), and drops what is gone.
void claim_settle(Turn *turn, Key key, const Completion *last);
// For a failure that is no write's.
void claim_fail(Turn *turn, Key key, Slice why);
// Of an intent aside that is tried again with the next round anyway: logs a failure, with the same exceptions.
void claim_log_failure(Turn *turn, const Completion *completion);
