// Solver: the state of one solve. It has the input as indexes and bitsets, the solution that is being built, caches,
// and work space. plan_solve runs the stages: prepare, place, improve, write.
#pragma once

#include "sched/bin/bin.h"
#include "sched/budget.h"

// The largest capacity among a set of rows, per dimension.
typedef struct {
    const TypeTable *table;
    const uint64_t *rows;
    const int64_t *amounts;
} LargestCapacity;

typedef struct {
    uint32_t pool;
    const LaunchList *list;
} PoolLaunchList;

// A reservation and the instances that are left of it.
typedef struct {
    Symbol id;
    int64_t left;
} Reservation;

typedef struct Marginal Marginal;
typedef struct WorkloadShares WorkloadShares;

struct Solver {
    Arena *arena;          // of the prepared input and the caches
    Arena *placing;        // of the present solution (solution.h)
    Vec(Arena *) placings; // of all solutions
    Arena *result;         // of the plan

    Budget budget; // charged by all long loops

    // The prepared input. While pods are placed only the counts that a Solution has are changed.
    const PlanInput *input;
    Universe universe;
    Topology topology;
    ClassTable classes;
    PoolVec pools;
    Quanta quanta;
    Vec(const Pod *)
        read_in_part;           // owners of rules of which some are counted as more than they say (bin/bound_rules.h)
    uint32_t pod_count;         // number of pods that are planned
    uint32_t *node_states;      // label states, per PlanInput.nodes with those that are being deleted
    uint64_t **tolerated_nodes; // per list of tolerations: bitset of node bins
    uint64_t *tolerated_pools;  // per list of tolerations: bitset of pools, pool_words each
    uint32_t pool_words;
    WorkloadShares *workloads; // NULL: no pool has a node loss cost

    // The present solution.
    BinVec bins;
    uint32_t node_count; // bins before the first claim
    Vec(Reservation) reservations;
    uint64_t limits_freed; // how many times a claim's charge to limits fell
    bool settles;          // solver_place settles domains even where that places no further pods at once
    bool domains_settled;  // spreads count only the domains with nodes, and no new ones may be opened (settle_domains)
    struct Change *change; // the open change; NULL: none

    // Parameters of the search.
    Strategy strategy;
    uint32_t attempt; // 0: the first; further ones break ties differently (search.c)
    const uint32_t
        *first_ranks;   // classes are placed in the order of these, lowest first; NULL: in the strategy's order
    bool stepwise;      // STRATEGY_MARGINAL_PRICE returns after one step: free room, or one claim that grows or opens
    bool uneven;        // a spread's domains are chosen by price, as far as max skew allows, not the least loaded first
    bool lowers_values; // new claims want one value where minValues is best effort, so that they fit tighter limits
    bool keeps_none;    // preferred rules that are weighed are not kept
    float disorder;     // for comparisons, prices are increased at random by up to this factor
    LabelSetId opening; // constraints of new claims without a reservation, where their pool allows it
    LabelSetId within;  // constraints of all new claims, where pool and pod allow them (fewer_domains.h)
    Random random;      // for further attempts and disorder
    U32Vec emptiest;    // claims in the order of STRATEGY_EMPTIEST_FIRST
    Marginal *marginal; // index of the bins of STRATEGY_MARGINAL_PRICE; NULL: to be made

    // Caches that do not depend on placements.
    LabelStates states;
    Vec(PoolLaunchList) launch_lists;
    IndexMap launch_list_index;
    IndexMap launch_order_index; // pool << 32 | state to index into launch_orders
    Vec(LaunchOrder *) launch_orders;
    IndexMap largest_index;
    Vec(LargestCapacity) largest;
    IndexMap filter_answers; // filter << 32 | bin state, and taints

    // Work space of a verdict.
    uint64_t *rows;       // as many words as the largest table
    uint64_t *fewer_rows; // the same
    uint64_t *tied_rows;  // of a claim that is being tied (bin/claim_types.h)
    uint64_t *tried_rows;
    int64_t *added;       // per dimension
    int64_t *zero;        // per dimension, all 0
    uint64_t *fresh_rows; // of the claim that is being opened
    int64_t *fresh_used;
    int32_t *no_min_values;
    uint64_t *pool_bits; // pool_words for each of ALTERNATIVES_MAX
};
