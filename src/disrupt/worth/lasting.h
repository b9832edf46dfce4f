// Whether what a move saves is expected to last until it has paid for the move (docs/design/disrupt-fleet.md).
#pragma once

#include "disrupt/round.h"

// A move, as far as that asks for it.
typedef struct {
    const CandidateList *nodes;    // those that go
    const PlannedClaimVec *claims; // those that come; their pods are not read
    double saving_per_hour;
} LastingMove;

// How much longer the room of the nodes has to be left unused before the move is worth it, ns; 0: it is worth it now.
// `rooms`: what the pools have (demand_rooms). O(nodes × pools + pods + claims + lines of the history).
int64_t lasting_wait_ns(const Round *round, const PoolAmountVec *rooms, const LastingMove *move);

// The move will be carried out: what the pools have is changed by it.
void lasting_take(const Round *round, PoolAmountVec *rooms, const LastingMove *move);
