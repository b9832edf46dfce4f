// The packing problem that is left of a solve when everything is dropped that a proof or a pattern need not know: so
// many items of each size, and kinds of nodes with a price and room.
//
// It is a relaxation: every plan that places the items is also a packing here, at no higher price, so a lower bound for
// packings is one for plans. What is dropped (zones, pool limits, minValues, …) only lets packings do more; the
// reasons stand where it happens. docs/design/floor.md has the proof.
#pragma once

#include "sched/solver.h"

// Classes that no rule kept here tells apart.
typedef struct {
    const int64_t *size; // per dimension of the packing
    uint32_t count;      // pods
    uint32_t family;
    U32Vec classes; // of the solver, the most bound to places first
} PackItem;
typedef Vec(PackItem) PackItemVec;

// Existing nodes with equal room.
typedef struct {
    const int64_t *room;
    uint32_t count;
} PackNode;
typedef Vec(PackNode) PackNodes;

// A way to get a node: an instance type of a pool at its lowest price, or one of the nodes that exist.
typedef struct {
    double price;          // $ per hour
    int64_t *room;         // per dimension
    uint32_t pool, row;    // of the solver; INDEX_NONE: existing nodes
    uint32_t supply;       // into Packing.supplies; INDEX_NONE: any number
    PackNodes *together;   // existing nodes that it stands for at once; NULL: it is one node
    uint32_t rank, takers; // work: breaks ties of price; number of the set of families
    uint64_t *families;    // that may go there
} PackKind;
typedef Vec(PackKind) PackKindVec;

typedef struct {
    Arena *arena;
    Budget *budget;        // of the solve; NULL: none
    uint32_t dims;         // resources, then exclusive groups: pods of which only so many may share a node
    uint32_t resources;    // of them
    uint32_t *resource_of; // dimension to dimension of the solver
    PackItemVec items;
    PackKindVec kinds;     // none dominated by another; cheapest first
    U32Vec main_kinds;     // enough of them to make good patterns of: kinds much like an earlier one are left out
    Vec(double) supplies;  // how many nodes of limited kinds there are
    uint32_t family_count; // sets of kinds that take the same items
    uint32_t *most;        // [kind * items.count + item]: how many go into one node; 0: none may. NULL: too large
    double *scaled_sizes;  // [item * dims + dim]: size over `scales`
    double *scales;        // per dimension, so that numbers are near 1
} Packing;

// Past that many items (distinct sizes), or items × kinds, programs with a row per item are too slow for what they
// give. Such a packing has no `most`: it is good for prices of resources alone.
enum { PACK_ITEMS_MAX = 1500, PACK_CELLS_MAX = 1500000 };

// Distils the packing of a prepared solver, before or after it has placed pods: existing nodes count with the room they
// had before. Reads the solver only; steps of its states are remembered there.
// O(classes + signatures × (offering shapes × pools + types + nodes) + kinds²).
void packing_make(Packing *packing, Arena *arena, Solver *solver);

// Fills what is worked out from items, kinds and supplies. For packings made by hand (tests); packing_make does it.
void packing_finish(Packing *packing);

// Charges the solve's budget; false: it is over.
static inline bool packing_spend(const Packing *packing, uint64_t steps) {
    return !packing->budget || budget_spend(packing->budget, steps);
}

static inline const uint32_t *packing_most(const Packing *packing, uint32_t kind) {
    return packing->most + (size_t)kind * packing->items.count;
}
