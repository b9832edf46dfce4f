// The planner: pods and nodes in, a plan out. Pure: no I/O, no clock, no global; equal input gives equal output.
//
// Behaviour: reference scheduling.md 2 to 5 and 11 (each quirk marked "fix" is fixed here).
// Grouping: identical pods are one class, verdicts are per class and bin, requirements and instance types are
// bitsets; docs/design/sched.md explains the structure and its costs.
#pragma once

#include "sched/index/type_digest.h"
#include "sched/input/default_spread.h"
#include "sched/input/pending.h"
#include "sched/reason.h"

#include <stdatomic.h>

typedef enum { PREFERENCES_RESPECT, PREFERENCES_IGNORE } PreferencePolicy;
typedef enum { MIN_VALUES_STRICT, MIN_VALUES_BEST_EFFORT } MinValuesPolicy;

// Ways to build a plan; all ask the same verdicts, the cheapest plan of those tried is kept.
typedef enum {
    STRATEGY_FIRST_FIT,      // largest pods first, each to the first bin that takes it
    STRATEGY_EMPTIEST_FIRST, // as Karpenter: largest pods first, each to the claim with fewest pods; pod by pod, so
                             // only for small inputs unless it is asked for by name
    STRATEGY_MARGINAL_PRICE, // hardest to place first, each where it adds least to the price
    STRATEGY_PATTERNS,       // nodes after the patterns that a linear program picks, the rest by marginal price
    STRATEGY_COUNT,
} Strategy;

// "first-fit", "emptiest-first", "marginal-price", "patterns".
const char *strategy_text(Strategy strategy);

typedef enum {
    EFFORT_NORMAL, // all strategies, improvement, floor
    EFFORT_FAST,   // one strategy, no improvement, no floor
    EFFORT_BEST,   // as normal, with far more steps
} Effort;

// How hard to look for a cheap plan. Efforts count steps, not time, so that equal input gives equal output; only a
// budget in time breaks that.
typedef struct {
    Effort effort;
    uint32_t strategies;               // bits 1 << Strategy; 0: those of the effort
    bool skip_improvement, skip_floor; // whatever the effort
    bool one_attempt;  // no strategy is tried again with other ties, however few pods there are: a tenth of the time
    int64_t budget_ns; // 0: none; else the search ends so long after the solve began. What EFFORT_FAST does is done
    // The deadline of the solve, 0: none. After it the best plan so far is the plan, and whoever has no place then has
    // none. Steps are counted, of about two nanoseconds (sched/budget.h): equal input ends at the same one.
    int64_t deadline_ns;
    uint64_t deadline_steps;
    bool patient;                 // no pod is set aside for using more than its share of the deadline
    const atomic_bool *cancelled; // set by any thread: the solve ends at once and its plan is empty. NULL: nobody may
    int64_t (*now_ns)(void *context); // monotonic clock, for budget, deadline and timings; NULL: none of them
    void *now_context;
} PlanSearch;

// Time spent by phase, ns. All 0 without a clock.
typedef struct {
    int64_t prepare, place[STRATEGY_COUNT], improve, floor, write, total;
} PlanTimings;

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
    TypeDigests *digests;                // what is known of the types from earlier solves; NULL: nothing
    PreferencePolicy preferences;
    MinValuesPolicy min_values;
    uint32_t max_instance_types; // per claim; 0: Karpenter's 600
    PlanSearch search;
} PlanInput;

typedef Vec(const InstanceType *) InstanceTypeList;

// A NodeClaim to create. Claims that are alike share types, requirements and labels.
typedef struct {
    Slice name; // "<pool>-<number>": the API server makes the real one
    const NodePool *pool;
    InstanceTypeList types;     // cheapest first
    const InstanceType *choice; // what a launch is expected to give: reserved, else spot, else on-demand
    const Offering *offering;   // of `choice`
    Requirements requirements;  // with instance type and capacity type, as Karpenter writes them
    Resources requests;         // pods and the least daemon overhead of the types
    Labels labels;              // of the NodeClaim's metadata (scheduling.md 6.1)
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
    bool aside;        // planning it takes too long: it is to be tried alone (sched/set_aside.h)
} UnplacedPod;
typedef Vec(UnplacedPod) UnplacedPodVec;

typedef struct {
    PlannedClaimVec claims;
    PlannedNodeVec nodes; // only those that got pods, in the order of PlanInput.nodes
    UnplacedPodVec unplaced;
    double price_per_hour; // sum of the choices
    double floor_per_hour; // no plan that places these pods costs less (docs/design/floor.md); NAN: not computed
    Strategy strategy;     // whose plan this is
    PlanTimings timings;
    uint32_t class_count, type_count;
    bool cut_short; // the deadline came: pods may be unplaced that have a place
    bool cancelled; // nothing is in it
} Plan;

// Solves. Everything in the plan lives in `arena` or in the input, but for texts that are constant.
// Cost: O(classes × bins) verdicts, each a handful of word operations; O(pods) bookkeeping.
void plan_solve(Arena *arena, const PlanInput *input, Plan *ret_plan);
