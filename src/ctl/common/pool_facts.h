// Facts about a NodePool that several controllers need. Behaviour: reference lifecycle.md 0.2, 5.3, scheduling.md 5.1.
#pragma once

#include "ctl/common/class_facts.h"

// Whether the pool's nodeClassRef names the NodeClass kind of this provider: every controller ignores other pools.
bool pool_is_managed(const NodePool *pool, const Symbols *symbols, const Settings *settings);
// Whether condition Ready is True.
bool pool_is_ready(const NodePool *pool, const Symbols *symbols);

// The NodePool that the claim's label names; NULL: the claim has no such label, or there is no such pool. O(1).
const NodePool *pool_of_claim(const State *state, const NodeClaim *claim);

// The pool's NodeClass, of any provider. Returns false, and {0}, when it does not exist.
bool pool_node_class(const State *state, const NodePool *pool, ClassFacts *ret_class);
