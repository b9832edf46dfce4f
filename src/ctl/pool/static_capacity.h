// NodePools with spec.replicas: as many nodes as they say, whatever pods there are (gate StaticCapacity). Reference
// lifecycle.md 6.1, scheduling.md 8.4. Keys are names of NodePools.
//
// Quirk fixed (lifecycle.md 10): claims that a disruption is about to replace count as there when it is decided how
// many to create, not only when it is decided whether.
#pragma once

#include "ctl/ctl.h"

extern const Controller static_provisioning_controller;   // static.provisioning
extern const Controller static_deprovisioning_controller; // static.deprovisioning

// The claims of a static pool.
typedef struct {
    uint32_t active;   // neither of the two below
    uint32_t pending;  // a command wants to remove them: its replacement is active or on its way
    uint32_t deleting; // going away
} StaticCount;

StaticCount static_count(const State *state, Symbol pool);

// Whether the two controllers look after the pool: gate, managed, static.
bool static_is_ours(const Turn *turn, const NodePool *pool);
