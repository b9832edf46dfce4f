// One launch on its way from a NodeClaim to an instance. Private to src/sim/cloud/launch*.c.
//
// launch.c answers the call, launch_ask.c is Karpenter's part (what to ask EC2 for; launch_asked.c remembers it),
// launch_give.c is EC2's (what it gives of that), launch_make.c makes the instance.
#pragma once

#include "sim/cloud/cloud_parts.h"

// An offering that may be asked for.
typedef struct {
    uint32_t type, offering, pool;
    SimCapacityType kind;
    double price;
    uint32_t score; // spot: 1 … 10; 0: nothing left
    uint64_t tie;   // the lower first among equal prices
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
