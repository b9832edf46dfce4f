// What the pods of each NodePool ask for, and asked for lately.
//
// Load that swings comes back: what the pods of a pool asked for a while ago, they are expected to ask for again in as
// long. So a history says how long it will do to have less room. It is kept in memory alone: after a restart nothing is
// known, and nothing is expected to come back.
#pragma once

#include "base/time.h"
#include "disrupt/node_pods.h"

typedef struct {
    Symbol pool;
    Resources amount;
} PoolAmount;
typedef Vec(PoolAmount) PoolAmountVec;

// The amount of a pool; NULL: the list does not have it. O(pools).
Resources *pool_amount(const PoolAmountVec *amounts, Symbol pool);

// What the pods on the nodes of each of facts->pools request. O(pods + nodes × pools).
PoolAmountVec demand_now(Arena *arena, const DisruptFacts *facts, const NodePods *node_pods);
// The room of the nodes of each of facts->pools that stay. O(nodes × pools).
PoolAmountVec demand_rooms(Arena *arena, const DisruptFacts *facts);

// Whether so much room is enough for so much of a resource. Nodes can be filled to 90 %: the rest is too small for the
// next pod.
bool demand_has_room(int64_t amount, int64_t room);

enum { DEMAND_PEAKS_MOST = 128 };

// Demand was that high for the last time then.
typedef struct {
    Mono at;
    int64_t amount; // at most 2 % above what it was
} DemandPeak;

typedef struct {
    Symbol pool, resource;
    DemandPeak peaks[DEMAND_PEAKS_MOST]; // amounts fall, times rise; the last one is what there was when last noted
    uint32_t count;
} DemandLine;

// {0} is an empty one.
typedef struct {
    Arena arena;
    Vec(DemandLine) lines; // one for each resource that pods of a pool requested
} DemandHistory;

// Notes what there is now; pools that are not named are forgotten. O(lines × resources).
void demand_note(DemandHistory *history, Mono now, const PoolAmountVec *demand);
DemandHistory demand_copy(Arena *arena, const DemandHistory *history);
void demand_free(DemandHistory *history);

// How long ago the pods of a pool asked for more than nodes with so much room could take; INT64_MAX: that is not
// known. `history` may be NULL. O(lines).
int64_t demand_needed_ago_ns(const DemandHistory *history, Mono now, Symbol pool, const Resources *room);
