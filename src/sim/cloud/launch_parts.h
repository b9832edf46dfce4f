// SimLaunch: one launch, from a NodeClaim to an instance. Private to src/sim/cloud/launch*.c.
//
// launch.c answers the call, launch_ask.c is Karpenter's part (which offerings to request; launch_asked.c caches it),
// launch_give.c is EC2's part (which of them to use), launch_make.c makes the instance.
#pragma once

#include "sim/cloud/cloud_parts.h"

// An offering that may be requested.
typedef struct {
    uint32_t type, offering, pool;
    SimCapacityType kind;
    double price;
    uint32_t score; // spot: 1 … 10; 0: no instances left
    uint64_t tie;   // order among equal prices, lowest first
} LaunchCandidate;
typedef Vec(LaunchCandidate) LaunchCandidates;

typedef struct {
    SimView *view;
    Arena *arena; // of the caller
    const CloudLaunch *launch;
    ViewClass *class;
    const ClassEntry *entry;
    const InstanceTypeVec *types;
    LaunchCandidates candidates;
    bool is_kwok;
} SimLaunch;
