// Facts about a NodePool that several controllers need. Behaviour: reference lifecycle.md 0.2, 5.3, scheduling.md 5.1.
#pragma once

#include "ctl/settings.h"
#include "state/state.h"

// Whether the pool's nodeClassRef names the NodeClass kind of this provider: every controller ignores other pools.
bool pool_is_managed(const NodePool *pool, const Symbols *symbols, const Settings *settings);
// Whether condition Ready is True.
bool pool_is_ready(const NodePool *pool, const Symbols *symbols);

// The NodePool that the claim's label names; NULL: the claim has no such label, or there is no such pool. O(1).
const NodePool *pool_of_claim(const State *state, const NodeClaim *claim);

// The pool's NodeClass. pool_node_class returns false when it does not exist.
typedef struct {
    const ObjectMeta *meta;
    const ConditionVec *conditions;
} PoolNodeClass;
bool pool_node_class(const State *state, const NodePool *pool, PoolNodeClass *ret_class);

// Whether the kind is a NodeClass, of any provider.
bool pool_is_node_class(KubeKind kind);
