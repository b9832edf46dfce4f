// Bin: an existing node or a planned NodeClaim; whether pods of a class may go there (the verdict), and placing them.
//
// Checks are made in the order of scheduling.md 5.5: taints, requirements, volumes, topology, types and room. All but
// the last are looked up in interned label states; nothing here loops over pods.
#pragma once

#include "base/random.h"
#include "sched/bin/launch_order.h"
#include "sched/input/class_variants.h"

typedef struct {
    uint32_t class, variant, count;
} BinPods;

// Pods counted by a spread whose node filter is undecided for the bin.
typedef struct {
    uint32_t group, atom;
    int32_t count;
} Undecided;
typedef Vec(BinPods) BinPodsVec;

typedef struct {
    const NodeView *node; // NULL: a claim
    Pool *pool;           // NULL: a node
    uint32_t number;      // index into Solver.bins, which is its domain of kubernetes.io/hostname
    uint32_t state;
    uint64_t *rows;        // claim: types that can still be launched
    int64_t *used;         // claim: requests of its pods, per dimension
    int64_t *free;         // node: free amounts, per dimension
    const PortSet *ports;  // used host ports
    SymbolVec claims;      // shared volume claims attached here
    uint32_t bound_claims; // node: the first so many of them are used by its bound pods
    BinPodsVec pods;
    uint32_t pod_count;
    Vec(Undecided) undecided;
    bool decided;        // an undecided count was decided by `rows`, which may not get types back
    int32_t *min_values; // required counts per rule of the pool, lowered under best effort
    bool min_values_relaxed;
    bool gone;       // a claim that improvement has emptied: it is not in the plan; a node that takes no pods
    int64_t *charge; // what the pool's limits are charged, per dimension
    const OfferingShape *reservation; // the reservation that the claim uses; NULL: none
} Bin;
typedef Vec(Bin) BinVec;

typedef struct Solver Solver;

// A possible placement of pods of a class on a bin.
typedef struct {
    uint32_t state;
    uint32_t count; // pods that may be placed at once
    uint64_t *rows; // claim: types left when `count` is 1; in the solver's work space
} Placement;

typedef enum {
    VERDICT_FITS,
    VERDICT_NOT_NOW, // not now; a spread or affinity rule may allow it later
    VERDICT_NEVER,   // not in this solve, whatever is placed
} Verdict;

// The number of alternatives of where a class's volumes are, at least 1, and the label state of a bin with a pod of the
// variant whose volumes are at alternative `site`.
static inline uint32_t class_site_count(const PodClass *class) {
    return class->volume_alternatives.count ? class->volume_alternatives.count : 1;
}
uint32_t class_site_state(LabelStates *states, uint32_t state, const PodClass *class, const Variant *variant,
                          uint32_t site);

// Whether pods of a variant may go to the bin, at most `want` at once. O(keys × atoms + dims × words).
Verdict bin_try(Solver *solver, const Bin *bin, const PodClass *class, const Variant *variant, uint32_t want,
                Placement *ret_placement);

// Places `placement->count` pods there and counts them in every group that selects them.
void bin_commit(Solver *solver, Bin *bin, uint32_t class, uint32_t variant, const Placement *placement);

// Whether a group counts the class (for the "self" of its rules). O(log counted).
bool class_counts_for(const PodClass *class, uint32_t group);

// Whether a spread counts a node.
typedef enum {
    COUNTED_NEVER, // 0, so that it can be used as a condition
    COUNTED_PERHAPS,
    COUNTED_SURELY,
} Counted;

// Whether a node filter accepts a node with that label state and those taints.
Counted bin_filter(Solver *solver, uint32_t filter, uint32_t state, const TaintVec *taints);

// The same for a claim that has only the types `rows` of those that its state allows.
Counted claim_filter(Solver *solver, uint32_t filter, const Bin *bin, const uint64_t *rows);

// Counts `count` pods on a node with that label state in a group. `number`: the bin; INDEX_NONE: the node is no bin.
void group_record(Solver *solver, uint32_t group_number, uint32_t number, uint32_t state, const TaintVec *taints,
                  int32_t count);

// Evaluates the filters of undecided counts again, as claims may have fewer types now. Returns whether any was decided.
bool bins_decide(Solver *solver, const PodClass *class);

// The taints of a bin.
const TaintVec *bin_taints(const Bin *bin);

// The requests of a pod of the class on this bin, with the attachments of shared volume claims that are not attached
// there yet. Lives in the solver's work space until the next call.
const int64_t *bin_added(Solver *solver, const Bin *bin, const PodClass *class);
