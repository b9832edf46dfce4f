// SmallProblem: the packing problem of a small input with all contents of nodes enumerated, so that rules which a
// linear program cannot express just exclude contents. docs/design/floor.md, section 7.
//
// It is a relaxation, as sched/packing is: every plan of these pods meets the rules that are here, and rules that are
// not here would only exclude more.
#pragma once

#include "sched/solver.h"

enum {
    SMALL_ITEMS_MAX = 32,
    SMALL_CONTENTS_MAX = 1 << 15,
    SMALL_CELLS_MAX = 32,
    SMALL_NODES_MAX = 48, // kinds of existing nodes
};

// All items, as a set.
#define SMALL_ALL UINT32_MAX

// An item: pods of one class, or of classes that no rule tells apart. Sets of items are bitmasks.
typedef struct {
    uint32_t class;  // index into the solver's classes; of several classes: the first
    uint32_t count;  // pods that the plan places
    uint32_t stride; // difference of the content's number for one pod more; where contents are numbered
    uint32_t apart;  // items whose pods may not share a host with it; with itself: one pod per host
} SmallItem;

// A hostname spread: at most `most` pods of the items on a host.
typedef struct {
    uint32_t items, group;
    int64_t most;
} SmallCap;

// A required affinity on the hostname: owners need pods of `others`, or running pods that it counts, on their host.
typedef struct {
    uint32_t owners, others, group;
    bool may_start; // the first owner may go anywhere
} SmallCompany;

// A cell: one domain for each key that rules between nodes use.
typedef struct {
    uint32_t *atoms; // per key of SmallProblem.keys; INDEX_NONE: in no domain
    uint32_t banned; // items that may not be there by rules between nodes
} SmallCell;

// A place: a kind of claim or of existing node, and the contents that it can hold.
typedef struct {
    double price;            // $ per hour
    const int64_t *room;     // per dimension of the solver
    uint32_t items, openers; // items that may be there; items of which at least one pod must be there
    uint32_t cell;           // into cells
    uint32_t supply;         // into supplies; INDEX_NONE: any number
    uint32_t row, shape;     // claim: into the rows and shapes of the pool's table
    U32Vec bins;             // nodes: bins of the solver, which are equal
    Pool *pool;              // NULL: existing nodes
    U32Vec contents;         // ascending; only of nodes and of claims that are charged (small_is_charged)
} SmallPlace;
typedef Vec(SmallPlace) SmallPlaceVec;

// A bound of the number of pods of these items on all nodes in the cells: ≤ bound, or ≥ bound.
typedef struct {
    uint32_t items, key; // into SmallProblem.keys
    uint64_t cells;
    bool at_least;
    double bound;
} SmallCount;

// Pods that an affinity keeps in one domain of a key, whichever it is.
typedef struct {
    uint32_t owners, key; // into SmallProblem.keys
} SmallTogether;

// An anti-affinity: no domain of a key has a pod of `owners` and another pod of `minded`.
typedef struct {
    uint32_t owners, minded, key;
} SmallApart;

// A limit: the capacity of the types of all claims of the pool is at most `left`.
typedef struct {
    const Pool *pool;
    uint32_t dim; // INDEX_NONE: number of nodes
    double left;
} SmallLimit;

typedef struct {
    Arena *arena;
    Solver *solver;      // in its state before pods are placed
    const bool *settled; // per topology group: a spread that counts only the domains with nodes (bin/settle.h)
    bool merges;         // classes that nothing tells apart are one item
    uint32_t places_max; // claims
    SmallItem items[SMALL_ITEMS_MAX];
    uint32_t item_count;
    uint32_t content_count; // contents are numbered (small_number_contents): `content_count` − 1 has all pods
    uint32_t *items_of;     // per content: its items
    int64_t *demand;        // per dimension: requests of all pods
    Vec(SmallCap) caps;
    Vec(SmallCompany) companies;
    U32Vec keys; // keys of the universe that rules between nodes use
    Vec(SmallCell) cells;
    Vec(SmallCount) counts;
    Vec(SmallTogether) togethers;
    Vec(SmallApart) aparts;
    Vec(SmallLimit) limits;
    Vec(double) supplies;
    const int64_t *homes; // [item * cells + cell], from small_find_homes
    SmallPlaceVec claims, nodes;
} SmallProblem;

static inline const PodClass *small_class(const SmallProblem *problem, uint32_t item) {
    return &problem->solver->classes.classes.items[problem->items[item].class];
}

// Whether pods of the item may be placed with the variant in the cell. Where the first variant certainly finds a claim,
// variants with additional tolerations (of PreferNoSchedule taints) are not tried, unless preferences are weighed.
static inline bool small_variant_counts(const SmallProblem *problem, uint32_t item, uint32_t cell,
                                        const Variant *variant) {
    return plan_weighs(problem->solver->input) ||
           variant->tolerations == small_class(problem, item)->variants.items[0].tolerations ||
           problem->homes[(size_t)item * problem->cells.count + cell] == INT64_MIN;
}

// Whether the claim is launched from a reservation.
static inline bool small_is_reserved(const SmallPlace *claim) {
    return claim->pool->table->shapes[claim->shape].capacity_type == NAME_RESERVED;
}

// The number of pods of these items that the plan places.
static inline int64_t small_placed(const SmallProblem *problem, uint32_t items) {
    int64_t pods = 0;

    for (uint32_t item = 0; item < problem->item_count; item++)
        pods += items >> item & 1 ? problem->items[item].count : 0;
    return pods;
}

// The share of a limit that a claim takes.
static inline double small_share(const SmallLimit *limit, const SmallPlace *claim) {
    if (limit->pool != claim->pool || limit->left <= 0)
        return 0;
    if (limit->dim == INDEX_NONE)
        return 1 / limit->left;
    return (double)claim->pool->table->capacity[(size_t)claim->row * claim->pool->room->dims + limit->dim] /
           limit->left;
}

// The number of pods of the item in a content.
static inline uint32_t small_part(const SmallProblem *problem, uint32_t content, uint32_t item) {
    return content / problem->items[item].stride % (problem->items[item].count + 1);
}

// The number of pods of these items in a content.
static inline int64_t small_pods(const SmallProblem *problem, uint32_t content, uint32_t items) {
    int64_t pods = 0;

    for (uint32_t item = 0; item < problem->item_count; item++)
        pods += items >> item & 1 ? small_part(problem, content, item) : 0;
    return pods;
}
