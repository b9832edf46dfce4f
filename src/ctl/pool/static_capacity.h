// Static NodePools, those with spec.replicas: static.provisioning creates and static.deprovisioning removes NodeClaims
// until there are as many as spec.replicas, whatever pods there are (feature gate StaticCapacity). Key of both: name of
// a NodePool. Behaviour: reference lifecycle.md 6.1, scheduling.md 8.4.
//
// Quirk fixed (lifecycle.md 10): claims that a disruption is about to replace are counted when it is decided how many
// to create, not only when it is decided whether to create any.
#pragma once

#include "ctl/ctl.h"

extern const Controller static_provisioning_controller;   // static.provisioning
extern const Controller static_deprovisioning_controller; // static.deprovisioning

// Numbers of a static pool's NodeClaims.
typedef struct {
    uint32_t active;   // neither pending nor deleting
    uint32_t pending;  // marked for removal by a command, their replacement active or on its way
    uint32_t deleting; // going away
} StaticCount;

StaticCount static_count(const State *state, Symbol pool);

// Whether the two controllers are responsible for the pool: gate on, managed, static.
bool static_is_ours(const Turn *turn, const NodePool *pool);
