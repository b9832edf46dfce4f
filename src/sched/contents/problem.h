// The packing of a small input, kept whole: every content of every node is written down, so that rules which a linear
// program cannot say are simply contents that are not there. docs/design/floor.md, section 7.
//
// It is a relaxation, as sched/packing is: what stands here every plan of these pods keeps, what does not stand here
// only lets packings do more.
#pragma once

#include "sched/solver.h"

enum {
    SMALL_ITEMS_MAX = 16,
    SMALL_CONTENTS_MAX = 1 << 15,
    SMALL_CELLS_MAX = 32,
    SMALL_PLACES_MAX = 1000,
    SMALL_NODES_MAX = 48, // kinds of nodes that exist
    SMALL_ALL = (1 << SMALL_ITEMS_MAX) - 1,
};

// Pods of one class. Sets of items are bits.
typedef struct {
    uint32_t class;  // of the solver
    uint32_t count;  // pods that the plan places
    uint32_t stride; // one pod more makes the number of a content so much higher
    uint32_t apart;  // items of which no pod may be on a host beside one of these; with itself: no second one
} SmallItem;

// A hostname spread: at most `most` of these on a host.
typedef struct {
    uint32_t items, group;
    int64_t most;
} SmallCap;

// A required affinity on the hostname: owners go where others, or pods that run there, are.
typedef struct {
    uint32_t owners, others, group;
    bool may_start; // the first may go anywhere
} SmallCompany;

// Where a node is, as far as rules see it: a domain per key, and who may be there.
typedef struct {
    uint32_t *atoms; // per key of SmallProblem.keys; INDEX_NONE: in no domain
    uint32_t banned; // items that rules between nodes keep out
} SmallCell;

// A way to have a node, and its contents.
typedef struct {
    double price;             // $ per hour
    const int64_t *room;      // per dimension of the solver
    uint32_t items, openers;  // that may go there; of which one must be there
    uint32_t cell;            // into cells
    uint32_t supply;          // into supplies; INDEX_NONE: any number
    uint32_t row, bin, count; // claim: of the pool's table; node: of the solver, and how many are like it
    const Pool *pool;         // NULL: nodes that exist
    U32Vec contents;          // that it can hold, ascending
} SmallPlace;
typedef Vec(SmallPlace) SmallPlaceVec;

// Σ over nodes in the cells of the pods of these items ≤ bound, or ≥ bound.
typedef struct {
    uint32_t items, key; // into SmallProblem.keys
    uint64_t cells;
    bool at_least;
    double bound;
} SmallCount;

// Pods that an affinity holds in one domain of a key, whichever it is.
typedef struct {
    uint32_t owners, key; // into SmallProblem.keys
} SmallTogether;

// No domain of a key has an owner and another pod that it minds.
typedef struct {
    uint32_t owners, minded, key;
} SmallApart;

// Σ over claims of the pool of what their types have ≤ left.
typedef struct {
    const Pool *pool;
    uint32_t dim; // INDEX_NONE: number of nodes
    double left;
} SmallLimit;

typedef struct {
    Arena *arena;
    Solver *solver;      // as it is before pods are placed
    const bool *settled; // per group of the topology: a spread that counts the domains that have nodes
    SmallItem items[SMALL_ITEMS_MAX];
    uint32_t item_count, content_count; // `content_count` − 1 has every pod
    uint32_t *items_of;                 // per content: the items that it has
    int64_t *demand;                    // per dimension: of all pods
    Vec(SmallCap) caps;
    Vec(SmallCompany) companies;
    U32Vec keys; // of the universe: rules between nodes look at them
    Vec(SmallCell) cells;
    Vec(SmallCount) counts;
    Vec(SmallTogether) togethers;
    Vec(SmallApart) aparts;
    Vec(SmallLimit) limits;
    Vec(double) supplies;
    const int64_t *homes; // [item * cells + cell]: small_find_homes
    SmallPlaceVec claims, nodes;
} SmallProblem;

static inline const PodClass *small_class(const SmallProblem *problem, uint32_t item) {
    return &problem->solver->classes.classes.items[problem->items[item].class];
}

// Whether pods of the item may be placed under the variant in the cell: where its first variant surely finds a claim,
// nobody goes on to tolerate what it does not by itself (PreferNoSchedule).
static inline bool small_variant_counts(const SmallProblem *problem, uint32_t item, uint32_t cell,
                                        const Variant *variant) {
    return variant->tolerations == small_class(problem, item)->variants.items[0].tolerations ||
           problem->homes[(size_t)item * problem->cells.count + cell] == INT64_MIN;
}

// How many pods of the item a content has.
static inline uint32_t small_part(const SmallProblem *problem, uint32_t content, uint32_t item) {
    return content / problem->items[item].stride % (problem->items[item].count + 1);
}

// Pods of these items in a content.
static inline int64_t small_pods(const SmallProblem *problem, uint32_t content, uint32_t items) {
    int64_t pods = 0;

    for (uint32_t item = 0; item < problem->item_count; item++)
        pods += items >> item & 1 ? small_part(problem, content, item) : 0;
    return pods;
}
