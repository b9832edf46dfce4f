// A bin is a node that exists or a NodeClaim to be; here a class asks whether it may go there, and goes.
//
// The questions come in the order of scheduling.md 5.5: taints, requirements, volumes, topology, types and room. All
// but the last are answered from interned states; nothing here loops over pods.
#pragma once

#include "base/random.h"
#include "sched/bin/launch_order.h"
#include "sched/input/class_variants.h"

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
    uint64_t *rows;       // claim: types that can still be launched
    int64_t *used;        // claim: requests of its pods, per dimension
    int64_t *free;        // node: what is left, per dimension
    const PortSet *ports; // taken host ports
    SymbolVec claims;     // shared volume claims attached here
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

typedef struct Solver Solver;

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

// Alternatives of where a class's volumes are, at least 1, and the state of a bin with a pod of the variant whose
// volumes are at one of them.
static inline uint32_t class_site_count(const PodClass *class) {
    return class->volume_alternatives.count ? class->volume_alternatives.count : 1;
}
uint32_t class_site_state(LabelStates *states, uint32_t state, const PodClass *class, const Variant *variant,
                          uint32_t site);

// Whether pods of a variant may go to the bin, at most `want` at once. O(keys × atoms + dims × words).
Verdict bin_try(Solver *solver, const Bin *bin, const PodClass *class, const Variant *variant, uint32_t want,
                Placement *ret_placement);

// Puts `placement->count` pods there and records them with every group that counts them.
void bin_commit(Solver *solver, Bin *bin, uint32_t class, uint32_t variant, const Placement *placement);

// Whether a group counts the class (for the "self" of its rules). O(log counted).
bool class_counts_for(const PodClass *class, uint32_t group);

// Whether a spread counts a node.
typedef enum {
    COUNTED_NEVER, // 0: to be asked as a condition
    COUNTED_PERHAPS,
    COUNTED_SURELY,
} Counted;

// What a node filter says of a node with that state and those taints.
Counted bin_filter(Solver *solver, uint32_t filter, uint32_t state, const TaintVec *taints);

// The same of a claim that has no types but `rows`: fewer than its state allows.
Counted claim_filter(Solver *solver, uint32_t filter, const Bin *bin, const uint64_t *rows);

// Counts pods that are in that state (of bin `number`; INDEX_NONE: of no bin) with a group.
void group_record(Solver *solver, uint32_t group_number, uint32_t number, uint32_t state, const TaintVec *taints,
                  int32_t count);

// Asks the filters of undecided counts again, now that fewer types are left in the claims; whether any was decided.
bool bins_decide(Solver *solver, const PodClass *class);

// The taints that pods face on a bin.
const TaintVec *bin_taints(const Bin *bin);

// Requests of a class in this bin: shared claims that are not attached yet count. Points to the solver's work space.
const int64_t *bin_added(Solver *solver, const Bin *bin, const PodClass *class);
