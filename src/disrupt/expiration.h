// When NodeClaims expire, and new nodes that are ready by then. Reference lifecycle.md 2.9.
//
// Unlike in Karpenter nodes of one age do not all go at once: each goes somewhat earlier than its expireAfter says, by
// an amount that its uid decides, so that it is the same after a restart. And where the pods of a node need a new one,
// that is launched before the node's time has come, and the node goes as soon as it is ready: a forceful end, without
// budgets and vetoes, but not one that leaves pods without a place. A launch that fails changes nothing: the time
// stands.
#pragma once

#include "disrupt/round.h"

enum {
    EXPIRATION_JITTER_MAX_H = 24, // whatever percentage of expireAfter is asked for
    EXPIRATION_LEAD_PARTS = 10,   // the lead is at most this part of expireAfter: a tenth
    EXPIRATION_COMMANDS_MAX = 10, // per pass
    EXPIRATION_TRIES_MAX = 50,    // nodes that a pass looks at: the earliest
};

// When the claim has to go: at its creation plus expireAfter at the latest, up to `jitter_percent` of expireAfter
// earlier. INT64_MAX: never. O(length of the uid).
int64_t expiration_at_ns(const NodeClaim *claim, const Symbols *symbols, uint32_t jitter_percent);

// Commands for nodes of dynamic NodePools whose time comes within DisruptOptions.expiration_lead_ns and whose pods need
// new nodes, the earliest first. O(nodes), and a solve for each of at most EXPIRATION_TRIES_MAX of them.
void expiration_find(Round *round);
