// The planner: pods and nodes in, a plan out. Pure: no I/O, no clock, no globals; equal input gives equal output.
//
// Behaviour: reference scheduling.md 2 to 5 and 11 (each quirk marked "fix" is fixed here). Structure and costs:
// docs/design/sched.md.
#pragma once

#include "sched/index/type_digest.h"
#include "sched/input/default_spread.h"
#include "sched/input/pending.h"
#include "sched/reason.h"

#include <stdatomic.h>

typedef enum {
    PREFERENCES_RESPECT, // preferred rules are kept wherever possible, at any price
    PREFERENCES_IGNORE,  // they are ignored
    PREFERENCES_WEIGH,   // a rule of weight w is kept while it costs the pod at most w percent (docs/design/sched.md)
} PreferencePolicy;
typedef enum { MIN_VALUES_STRICT, MIN_VALUES_BEST_EFFORT } MinValuesPolicy;

// Strategies of building a plan. All make the same checks; the cheapest plan of those that are tried is kept.
typedef enum {
    STRATEGY_FIRST_FIT,      // largest pods first, each to the first bin that takes it
    STRATEGY_EMPTIEST_FIRST, // as Karpenter: largest pods first, each to the claim with fewest pods; one pod at a time,
                             // so for small inputs only, unless it is requested by name
    STRATEGY_MARGINAL_PRICE, // hardest to place first, each where it adds least to the price
    STRATEGY_PATTERNS,       // nodes by the patterns that a linear program chooses, the rest by marginal price
    STRATEGY_COUNT,
} Strategy;

// "first-fit", "emptiest-first", "marginal-price", "patterns".
const char *strategy_text(Strategy strategy);

typedef enum {
    EFFORT_NORMAL, // all strategies, improvement, floor
    EFFORT_FAST,   // one strategy, no improvement, no floor
    EFFORT_BEST,   // as normal, with far more steps
} Effort;

// Options of the search for a cheap plan. Efforts are counted in steps, not time, so that equal input gives equal
// output unless budget_ns or deadline_ns is set.
typedef struct {
    Effort effort;
    uint32_t strategies;               // bits 1 << Strategy; 0: those of the effort
    bool skip_improvement, skip_floor; // whatever the effort
    bool one_attempt;  // strategies are not tried again with other tie-breaks when there are few pods: a tenth of the
                       // time
    int64_t budget_ns; // end of the search, from the beginning of the solve; 0: none. The work of EFFORT_FAST is done
    // Deadline of the solve, from its beginning; 0: none. At the deadline the best plan so far is returned, with pods
    // unplaced if need be. Steps are of about two nanoseconds (sched/budget.h), and equal for equal input.
    int64_t deadline_ns;
    uint64_t deadline_steps;
    bool keeps_none;              // for PREFERENCES_WEIGH: keep no preferred rule, but report them
    bool patient;                 // no pod is set aside for using more than its share of the deadline
    const atomic_bool *cancelled; // may be set by any thread: the solve ends at once with an empty plan. May be NULL
    int64_t (*now_ns)(void *context); // monotonic clock, for budget_ns, deadline_ns and timings; NULL: without these
    void *now_context;
} PlanSearch;

// Time per phase, ns. All 0 without a clock.
typedef struct {
    int64_t prepare, place[STRATEGY_COUNT], improve, floor, write, total;
} PlanTimings;

// A NodePool that may get nodes (it is ready and dynamic), with the instance types that its provider has for it.
typedef struct {
    const NodePool *pool;
    const InstanceTypeVec *types; // pools with equal types should share one vector
} PlanPool;
typedef Vec(PlanPool) PlanPoolVec;

typedef struct {
    Cluster *cluster; // DaemonSets, bound pods, namespaces; the solve adds to its symbols
    PlanPoolVec pools;
    NodeViewVec nodes;                   // all of them; no pods are placed on those that are being deleted
    PendingPodVec pending;               // ignored ones are reported, not planned
    const DefaultSpread *default_spread; // or NULL
    TypeDigests *digests;                // cache of earlier solves; NULL: none
    PreferencePolicy preferences;
    MinValuesPolicy min_values;
    uint32_t max_instance_types; // per claim; 0: Karpenter's 600
    PlanSearch search;
} PlanInput;

// Whether preferred rules are weighed.
static inline bool plan_weighs(const PlanInput *input) {
    return input->preferences == PREFERENCES_WEIGH && !input->search.keeps_none;
}

typedef Vec(const InstanceType *) InstanceTypeList;

// A NodeClaim to create. Equal claims share types, requirements and labels.
typedef struct {
    Slice name; // "<pool>-<number>", for display: the API server generates the real one
    const NodePool *pool;
    InstanceTypeList types;     // cheapest first
    const InstanceType *choice; // type that a launch is expected to choose: reserved, else spot, else on-demand
    const Offering *offering;   // of `choice`
    Requirements requirements;  // with instance type and capacity type, as Karpenter writes them
    Resources requests;         // of the pods, and the least daemon overhead of the types
    Labels labels;              // of the NodeClaim's metadata (scheduling.md 6.1)
    bool min_values_relaxed;
    U32Vec pods; // indexes into PlanInput.pending
} PlannedClaim;
typedef Vec(PlannedClaim) PlannedClaimVec;

typedef struct {
    const NodeView *node;
    U32Vec pods; // indexes into PlanInput.pending
} PlannedNode;
typedef Vec(PlannedNode) PlannedNodeVec;

typedef struct {
    uint32_t pod;      // index into PlanInput.pending
    ReasonVec reasons; // one per pool, in the order in which pools are tried; shared by the pods of a class
    Slice message;     // Karpenter's text
    bool aside;        // planning it takes too long: it should be planned alone (sched/set_aside.h)
} UnplacedPod;
typedef Vec(UnplacedPod) UnplacedPodVec;

// A DaemonSet whose pods fit on no instance type of pools where they may run: no room is kept for them there.
typedef struct {
    const DaemonSet *daemon; // of the input
    SymbolVec pools;         // their names, in the order in which they are tried
} LeftOutDaemon;
typedef Vec(LeftOutDaemon) LeftOutDaemonVec;

// What to say of it: "DaemonSet ns/name: ...".
Slice left_out_daemon_text(Arena *arena, const Symbols *symbols, const LeftOutDaemon *left_out);

// What is said of a bound pod with more rules than are read of it, or of its namespace (sched/bin/bound_rules.h).
#define READ_IN_PART_TEXT                                                                                              \
    "the pod, or its namespace, has more terms of required pod anti-affinity than are read: its node is planned for "  \
    "no pod of the namespaces that the others reach"

// A preferred rule of a group of pods, and how many of them keep it.
typedef struct {
    Slice text; // "node affinity: topology.kubernetes.io/zone In [a]"
    int32_t weight;
    uint32_t bit;            // in WeighedPods.kept; the lightest rules of a pod with many share a bit
    uint32_t kept, left_out; // numbers of placed pods
    // The price of the rule in percent of the rate: for the pods that leave it out, if there are any, else for those
    // that keep it. NAN: not measured; INFINITY: no placement keeps the rule.
    double dearer_percent;
} WeighedRule;

// Equal pods with preferred rules.
typedef struct {
    double rate;            // price of such a pod without preferred rules, $ per hour (sched/bin/pod_rate.h)
    Vec(WeighedRule) rules; // heaviest first
    U32Vec pods;            // placed ones: indexes into PlanInput.pending
    U32Vec kept;            // per pod: the bits of the rules that it keeps
} WeighedPods;
typedef Vec(WeighedPods) WeighedPodsVec;

typedef struct {
    PlannedClaimVec claims;
    PlannedNodeVec nodes; // existing nodes that get pods, in the order of PlanInput.nodes
    UnplacedPodVec unplaced;
    LeftOutDaemonVec daemons; // in the order of the cluster's DaemonSets
    // Bound pods, the first of each workload, whose required anti-affinity counts as more than it says:
    // READ_IN_PART_TEXT.
    Vec(const Pod *) read_in_part;
    WeighedPodsVec weighed; // with PREFERENCES_WEIGH, in the order of their first pods; else empty
    double price_per_hour;  // $, sum of the claims' choices
    double floor_per_hour;  // $; no plan that places these pods costs less (docs/design/floor.md); NAN: not computed
    Strategy strategy;      // the strategy that found it
    PlanTimings timings;
    uint32_t class_count, type_count;
    bool cut_short; // the deadline was reached: pods may be unplaced that could be placed
    bool cancelled; // the plan is empty
} Plan;

// Makes a plan. Everything in it lives in `arena`, in the input, or is a constant text.
// O(classes × bins) verdicts, each a few word operations, and O(pods).
void plan_solve(Arena *arena, const PlanInput *input, Plan *ret_plan);
