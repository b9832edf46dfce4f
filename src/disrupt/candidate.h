// The nodes that voluntary disruption may choose from, and why it may not choose the others. Reference lifecycle.md
// 4.3.
#pragma once

#include "disrupt/node_pods.h"

// How careful a method is with pods that must not be evicted now.
typedef enum {
    DISRUPTION_GRACEFUL, // emptiness, consolidation: their nodes are left alone
    DISRUPTION_EVENTUAL, // drift: their nodes may go where a terminationGracePeriod ends the waiting
    DISRUPTION_FORCEFUL, // expiration, repair: neither pods nor do-not-disrupt on the Node count
    DISRUPTION_CLASS_COUNT,
} DisruptionClass;

// A node that a NodeClaim stands for.
typedef struct {
    uint32_t node;        // index into DisruptFacts.nodes
    const PlanPool *pool; // NULL: not found
    // What stands in the event DisruptionBlocked of its Node and NodeClaim; empty: it is a candidate, or `is_silent`.
    Slice blocked;
    bool is_silent;           // no candidate, and nobody is told: a command is under way for it
    double reschedule_cost;   // node_reschedule_cost
    double disruption_cost;   // Σ of all pods' eviction costs × what is left of the claim's life
    const InstanceType *type; // NULL: its provider does not have it
    const Offering *offering; // of the type, in the node's zone and capacity type, available or not; NULL: none
    double price_per_hour;    // of the offering; 0: unknown
} DisruptionCandidate;
typedef Vec(DisruptionCandidate) DisruptionCandidateVec;

static inline bool candidate_is_open(const DisruptionCandidate *candidate) {
    return !candidate->blocked.len && !candidate->is_silent;
}

// One for each node view with a NodeClaim, in the order of the views. `careful` (may be NULL): those of a more careful
// class; what is open to it need not be looked at again. O(nodes × (pools + types + offerings) + pods × budgets of
// their namespaces), of the nodes that are looked at.
DisruptionCandidateVec candidates_make(Arena *arena, const DisruptFacts *facts, const NodePods *node_pods,
                                       DisruptionClass class, const DisruptionCandidateVec *careful);

// Price for a unit of disruption: what consolidation and emptiness order by, highest first.
static inline double candidate_savings_ratio(const DisruptionCandidate *candidate) {
    return candidate->price_per_hour / candidate->reschedule_cost;
}
