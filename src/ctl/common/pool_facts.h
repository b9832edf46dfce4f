// What the controllers of NodePools ask about a pool. Reference lifecycle.md 0.2, 5.3, scheduling.md 5.1.
#pragma once

#include "ctl/settings.h"
#include "state/state.h"

// Its nodeClassRef speaks of the provider's NodeClass: others are ignored by every controller.
bool pool_is_managed(const NodePool *pool, const Symbols *symbols, const Settings *settings);
// Condition Ready is True.
bool pool_is_ready(const NodePool *pool, const Symbols *symbols);

// Its NodeClass; NULL: there is none.
typedef struct {
    const ObjectMeta *meta;
    const ConditionVec *conditions;
} PoolNodeClass;
bool pool_node_class(const State *state, const NodePool *pool, PoolNodeClass *ret_class);

// Whether a change is about a NodeClass, whatever its kind, and which name it has.
bool pool_is_node_class(KubeKind kind);
