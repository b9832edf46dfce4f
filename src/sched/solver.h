// What one solve knows and works in: the input as numbers and bits, the solution that is being built, and work space
// that is used again by every question. plan_solve runs the stages: prepare, place, improve, write.
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

// What is left of a reservation.
typedef struct {
    Symbol id;
    int64_t left;
} Reservation;

typedef struct Marginal Marginal;
typedef struct WorkloadShares WorkloadShares;

struct Solver {
    Arena *arena;          // what is remembered, whatever is placed
    Arena *placing;        // what placing makes: one solution (solution.h)
    Vec(Arena *) placings; // of all solutions
    Arena *result;         // what the plan lives in; the rest of the solver is thrown away

    Budget budget; // asked by whatever loops for long

    // The input, prepared; changed no more once placing begins, but for counts (solution.h says which).
    const PlanInput *input;
    Universe universe;
    Topology topology;
    ClassTable classes;
    PoolVec pools;
    Quanta quanta;
    uint32_t pod_count;         // that are planned
    uint32_t *node_states;      // per PlanInput.nodes, deleting ones too
    uint64_t **tolerated_nodes; // per list of tolerations: bitset of node bins
    uint64_t *tolerated_pools;  // per list of tolerations: bits of pools, words each
    uint32_t pool_words;
    WorkloadShares *workloads; // NULL: no pool prices the loss of a node

    // The solution so far.
    BinVec bins;
    uint32_t node_count; // bins before the first claim
    Vec(Reservation) reservations;
    uint64_t limits_freed; // how often a claim gave back some of its pool's limits
    bool domains_settled;  // spreads count the domains that have nodes: no others may come (settle_domains)
    struct Change *change; // being tried; NULL: none

    // How it is looked for.
    Strategy strategy;
    uint32_t attempt;   // 0: the ordinary way; further ones break ties otherwise (plan_solve)
    float disorder;     // prices that are compared are taken to be up to so many times higher, at random
    LabelSetId opening; // what new claims without a reservation are tied to, where their pool allows it
    Random random;      // for further attempts and disorder
    U32Vec emptiest;    // claims in the order of STRATEGY_EMPTIEST_FIRST
    Marginal *marginal; // what STRATEGY_MARGINAL_PRICE knows of the bins; NULL: nothing yet, or out of date

    // Answers that stay true whatever is placed.
    LabelStates states;
    Vec(PoolLaunchList) launch_lists;
    IndexMap launch_list_index;
    IndexMap launch_order_index; // pool << 32 | state to launch_order
    Vec(LaunchOrder *) launch_orders;
    IndexMap largest_index;
    Vec(LargestCapacity) largest;
    IndexMap filter_answers; // filter << 32 | bin state, and taints

    // Work space of a verdict.
    uint64_t *rows;       // as many words as the largest table
    uint64_t *fewer_rows; // the same
    uint64_t *tied_rows;  // of a claim as it would be written down
    uint64_t *tried_rows;
    int64_t *added;       // per dimension
    int64_t *zero;        // per dimension, all 0
    uint64_t *fresh_rows; // of the claim that is being opened
    int64_t *fresh_used;
    int32_t *no_min_values;
    uint64_t *pool_bits; // pool_words for each of ALTERNATIVES_MAX
};
