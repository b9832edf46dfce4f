// What disruption is told of a cluster at one moment. The room knows no State: who asks it collects this.
#pragma once

#include "disrupt/cost.h"
#include "model/repair_policy.h"
#include "sched/plan.h"

// What only the process knows of a node.
enum {
    NODE_IN_COMMAND = 1, // a disruption command is under way for it
    NODE_NOMINATED = 2,  // a pending pod is expected there
    NODE_SETTLING = 4,   // pods were moved there to save money, and that has not paid back yet
};

typedef struct {
    Cluster *cluster;
    NodeViewVec nodes;        // all of the cluster (node_views_make); `deleting`: deleting, or marked for deletion
    PlanPoolVec pools;        // the managed pools, static ones too, with the instance types that their provider has
    PlanPoolVec growing;      // of them, those that may get new nodes for pods: dynamic, ready, and not deleting
    const uint8_t *node_bits; // NODE_*, one byte for each of `nodes`
    // For each of `pools` what its cloud takes for sick; NULL: nothing.
    const RepairPolicies *repair_policies;
    const DefaultSpread *default_spread; // or NULL
    CostRules cost_rules;
    TypeDigests *digests; // of earlier what-ifs; NULL: none
    int64_t wall_ns;
} DisruptFacts;

// The pool of that name that may get new nodes for pods; NULL: there is none. O(pools).
static inline const NodePool *disrupt_growing_pool(const DisruptFacts *facts, Symbol name) {
    for (vec_each(const PlanPool, pool, &facts->growing)) {
        if (pool->pool->meta.name == name)
            return pool->pool;
    }
    return NULL;
}
