// The planner: pods and nodes in, a plan out. Pure: no I/O, no clock, no global; equal input gives equal output.
//
// Behaviour: reference scheduling.md 2 to 5 with the advice of its section 11 (each quirk marked "fix" is fixed here).
// Grouping: identical pods are one class, verdicts are per class and bin, requirements and instance types are
// bitsets; docs/design/sched.md explains the structure and its costs.
#pragma once

#include "model/instance_type.h"
#include "sched/default_spread.h"
#include "sched/pending.h"
#include "sched/reason.h"

typedef enum { PREFERENCES_RESPECT, PREFERENCES_IGNORE } PreferencePolicy;
typedef enum { MIN_VALUES_STRICT, MIN_VALUES_BEST_EFFORT } MinValuesPolicy;

// A NodePool that may get nodes: ready, dynamic, with the instance types its provider offers it.
typedef struct {
    const NodePool *pool;
    const InstanceTypeVec *types; // pools with equal types should share one vector
} PlanPool;
typedef Vec(PlanPool) PlanPoolVec;

typedef struct {
    Cluster *cluster; // daemon sets, bound pods, namespaces; its symbols grow
    PlanPoolVec pools;
    NodeViewVec nodes;                   // deleting ones are left out by the planner
    PendingPodVec pending;               // ignored ones are reported, not planned
    const DefaultSpread *default_spread; // or NULL
    PreferencePolicy preferences;
    MinValuesPolicy min_values;
    uint32_t max_instance_types; // per claim; 0: Karpenter's 600
} PlanInput;

// A NodeClaim to create.
typedef struct {
    Slice name; // "<pool>-<number>": the API server makes the real one
    const NodePool *pool;
    Vec(const InstanceType *) types; // cheapest first
    const InstanceType *choice;      // what a launch is expected to give: reserved, else spot, else on-demand
    const Offering *offering;        // of `choice`
    Requirements requirements;       // with instance type and capacity type, as Karpenter writes them
    Resources requests;              // pods and the least daemon overhead of the types
    Labels labels;                   // of the NodeClaim's metadata (scheduling.md 6.1)
    bool min_values_relaxed;
    U32Vec pods; // indexes into PlanInput.pending
} PlannedClaim;
typedef Vec(PlannedClaim) PlannedClaimVec;

typedef struct {
    const NodeView *node;
    U32Vec pods; // indexes into PlanInput.pending, newly planned there
} PlannedNode;
typedef Vec(PlannedNode) PlannedNodeVec;

typedef struct {
    uint32_t pod;      // index into PlanInput.pending
    ReasonVec reasons; // one per pool in the order of trying; shared by the pods of a class
    Slice message;     // Karpenter's text
} UnplacedPod;
typedef Vec(UnplacedPod) UnplacedPodVec;

typedef struct {
    PlannedClaimVec claims;
    PlannedNodeVec nodes; // only those that got pods, in the order of PlanInput.nodes
    UnplacedPodVec unplaced;
    double price_per_hour; // sum of the choices
    uint32_t class_count, type_count;
} Plan;

// Solves. Everything in the plan lives in `arena` or in the input.
// Cost: O(classes × bins) verdicts, each a handful of word operations; O(pods) bookkeeping.
void plan_solve(Arena *arena, const PlanInput *input, Plan *ret_plan);
