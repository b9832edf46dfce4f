// A bin is a node that exists or a NodeClaim to be; here a class asks whether it may go there, and goes.
//
// The questions come in the order of scheduling.md 5.5: taints, requirements, volumes, topology, types and room. All
// but the last are answered from interned states; nothing here loops over pods.
#pragma once

#include "base/random.h"
#include "sched/bin/launch_order.h"

typedef struct {
    uint32_t class, variant, count;
} BinPods;

// Pods counted by a spread whose node filter could not yet tell whether the bin counts.
typedef struct {
    uint32_t group, atom;
    int32_t count;
} Undecided;
typedef Vec(BinPods) BinPodsVec;

typedef struct {
    const NodeView *node; // NULL: a claim
    Pool *pool;           // NULL: a node
    uint32_t number;      // in Solver.bins: its domain of kubernetes.io/hostname
    uint32_t state;
    uint64_t *rows;   // claim: types that can still be launched
    int64_t *used;    // claim: requests of its pods, per dimension
    int64_t *free;    // node: what is left, per dimension
    uint64_t *ports;  // NULL: table has no ports
    SymbolVec claims; // shared volume claims attached here
    BinPodsVec pods;
    uint32_t pod_count;
    Vec(Undecided) undecided;
    bool decided;        // a count was decided by the types that were left: they may not come back
    int32_t *min_values; // wanted counts per rule of the pool, lowered under best effort
    bool min_values_relaxed;
    bool gone;                        // a claim that improvement has emptied: it is not in the plan
    int64_t *charge;                  // of the pool's limits, per dimension
    const OfferingShape *reservation; // claim tied to it
} Bin;
typedef Vec(Bin) BinVec;

// The largest capacity among a set of rows, per dimension.
typedef struct {
    const TypeTable *table;
    const uint64_t *rows;
    const int64_t *amounts;
} LargestCapacity;

// What is left of a reservation.
typedef struct {
    Symbol id;
    int64_t left;
} Reservation;

typedef struct Marginal Marginal;
typedef struct WorkloadShares WorkloadShares;

typedef struct {
    Arena *arena;          // what is remembered, whatever is placed
    Arena *placing;        // what placing makes: one solution (solution.h)
    Vec(Arena *) placings; // of all solutions
    const PlanInput *input;
    Universe universe;
    Topology topology;
    ClassTable classes;
    LabelStates states;
    PoolVec pools;
    Quanta quanta;
    IndexMap launch_order_index; // pool << 32 | state to launch_order
    Vec(LaunchOrder *) launch_orders;
    BinVec bins;
    uint32_t node_count;   // bins before the first claim
    uint32_t *node_states; // per PlanInput.nodes, deleting ones too
    Vec(Reservation) reservations;
    IndexMap largest_index;
    Vec(LargestCapacity) largest;
    uint64_t limits_freed;      // how often a claim gave back some of its pool's limits
    IndexMap filter_answers;    // filter << 32 | bin state, and taints
    uint64_t **tolerated_nodes; // per list of tolerations: bitset of node bins
    uint64_t *tolerated_pools;  // per list of tolerations: bits of pools, words each
    uint32_t pool_words;
    // Work space of a verdict.
    uint64_t *rows;       // as many words as the largest table
    uint64_t *fewer_rows; // the same
    int64_t *added;       // per dimension
    int64_t *zero;        // per dimension, all 0
    uint64_t *fresh_rows; // of the claim that is being opened
    int64_t *fresh_used;
    int32_t *no_min_values;
    uint64_t *pool_bits;       // pool_words
    WorkloadShares *workloads; // NULL: no pool prices the loss of a node
    U32Vec emptiest;           // claims in that strategy's order
    Marginal *marginal;        // what that strategy knows of the bins; NULL: nothing yet, or out of date
    struct Change *change;     // being tried; NULL: none
    bool domains_settled;      // spreads count the domains that have nodes: no others may come (settle_domains)
    Strategy strategy;
    Random random;    // for further attempts
    uint32_t attempt; // 0: the ordinary way; further ones break ties otherwise (plan_solve)
    Arena *result;    // what the plan lives in; the rest of the solver is thrown away
} Solver;

// A place that a class may take.
typedef struct {
    uint32_t state;
    uint32_t count; // pods that may go at once
    uint64_t *rows; // claim: types left when `count` is 1; in the solver's work space
} Placement;

typedef enum {
    VERDICT_FITS,
    VERDICT_NOT_NOW, // a spread or affinity rule may allow it later
    VERDICT_NEVER,   // whatever happens in this solve
} Verdict;

// Whether pods of a variant may go to the bin, at most `want` at once. O(keys × atoms + dims × words).
Verdict bin_try(Solver *solver, const Bin *bin, const PodClass *class, const Variant *variant, uint32_t want,
                Placement *ret_placement);

// Puts `placement->count` pods there and records them with every group that counts them.
void bin_commit(Solver *solver, Bin *bin, uint32_t class, uint32_t variant, const Placement *placement);

// Whether the rows still have the values that the claim's minValues want, were it in `state`.
bool claim_min_values_met(const Solver *solver, const Bin *bin, uint32_t state, const uint64_t *rows);

// Whether a group counts the class (for the "self" of its rules). O(log counted).
bool class_counts_for(const PodClass *class, uint32_t group);

// What a node filter says of a node with that state and those taints: 0 not counted, 1 perhaps, 2 for certain.
int bin_filter(Solver *solver, uint32_t filter, uint32_t state, const TaintVec *taints);

// Counts pods that are in that state (of bin `number`; INDEX_NONE: of no bin) with a group.
void group_record(Solver *solver, uint32_t group_number, uint32_t number, uint32_t state, const TaintVec *taints,
                  int32_t count);

// Asks the filters of undecided counts again, now that fewer types are left in the claims; whether any was decided.
bool bins_decide(Solver *solver, const PodClass *class);

// The taints that pods face on a bin.
const TaintVec *bin_taints(const Bin *bin);

// Requests of a class in this bin: shared claims that are not attached yet count. Points to the solver's work space.
const int64_t *bin_added(Solver *solver, const Bin *bin, const PodClass *class);
