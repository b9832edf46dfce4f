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

// Fills `candidates`: what one CreateFleet asks for, of one capacity type (KWOK: of all), in the order of types. None:
// there is nothing to ask for. O(types that the requirements allow × offerings).
void cloud_ask(SimLaunch *launch);
// The same, or what it was when the last of the same content was asked with the same types.
void cloud_ask_once(SimLaunch *launch);
// Tries the candidates as EC2 would; the number of the new instance. Marks the view's memory where there was nothing.
// ERR_CAPACITY: nothing anywhere.
ErrCode cloud_give(SimLaunch *launch, uint32_t *ret_number, CloudError *error);
// The instance of a candidate; its number.
uint32_t cloud_make_instance(const SimLaunch *launch, const LaunchCandidate *candidate);
