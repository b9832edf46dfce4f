// What becomes of the pods of nodes that would go. Reference lifecycle.md 4.5.
//
// A what-if plans, with sched's planner, for the pods of those nodes, for pods that are pending, and for those of nodes
// that are on their way out, with the other nodes and the pools that may grow. What does not depend on the nodes in
// question is made once.
#pragma once

#include "disrupt/node_pods.h"
#include "disrupt/pass.h"

typedef struct Whatif Whatif;

// O(nodes + pods × budgets of their namespaces).
Whatif *whatif_make(Arena *arena, const DisruptFacts *facts, const DisruptOptions *options, const NodePods *node_pods);
// Frees what the answers live in.
void whatif_free(Whatif *whatif);

// The nodes count as on their way out from now on, and their pods as waiting, but for those that have a place for
// certain: `placed`, on replacements that are not among the nodes yet. O(pods of the nodes + placed).
void whatif_remove(Whatif *whatif, const U32Vec *nodes, const PodPtrVec *placed);

// Which nodes do not take pods of the nodes in question.
typedef enum {
    DESTINATIONS_ALL,
    DESTINATIONS_QUIET, // those that are within the consolidateAfter of their pool
} WhatifDestinations;

typedef struct {
    bool works;             // every pod that was not pending has a place on an initialized node or a new one
    bool is_unknown;        // the planner was stopped before it could say
    Slice complaint;        // when it does not work: "Not all pods would schedule, default/w => …"
    PlannedClaimVec claims; // new nodes with pods of the nodes in question. Their `pods` say nothing
    U32Vec destinations;    // existing nodes that get such pods: indexes into DisruptFacts.nodes
    PodPtrVec on_claims;    // pods of the nodes in question that are expected on new nodes
    uint32_t pods;          // of the nodes in question, to be placed
} WhatifAnswer;

// The answer lives until the next question. O(solve).
void whatif_ask(Whatif *whatif, const U32Vec *nodes, WhatifDestinations destinations, WhatifAnswer *ret_answer);

// The same of one node, also for those of `pods`, all that are on it, that must not be evicted now. O(solve + volumes).
void whatif_ask_for_all(Whatif *whatif, uint32_t node, const Pod *const *pods, uint32_t count,
                        WhatifAnswer *ret_answer);

// Per node, whether it gets pods that wait for a place when no node goes: pending ones, and those of nodes that are on
// their way out. In `arena`. O(solve) when pods wait, else O(nodes).
const bool *whatif_awaited(Whatif *whatif, Arena *arena);

// Number of pods on the node that need another place when it goes.
uint32_t whatif_pods_on(const Whatif *whatif, uint32_t node);

// The pods on the node that need another place when it goes, and all pods that need one whatever goes. Those that the
// planner ignores say so.
const PendingPodVec *whatif_pods(const Whatif *whatif, uint32_t node);
// Asks for those of the node to be brought into the cache: they are scattered in memory.
void whatif_prefetch(const Whatif *whatif, uint32_t node);
const PendingPodVec *whatif_waiting(const Whatif *whatif);

// What the planner is asked when no node goes, without pods. O(nodes).
PlanInput whatif_input(Whatif *whatif, WhatifDestinations destinations);

// A copy of the claim that shares nothing that is in the answer's memory.
PlannedClaim planned_claim_copy(Arena *arena, const PlannedClaim *claim);
