// Packing: a solve as a vector bin packing problem: items with sizes and counts, and kinds of nodes with prices and
// room.
//
// It is a relaxation: every plan that places the items is a packing at no higher price, so a lower bound of packings is
// one of plans. What is ignored (zones, pool limits, minValues, …) only allows more packings; the reason is given where
// it is ignored. docs/design/floor.md has the proof.
#pragma once

#include "sched/solver.h"

// Classes that are equal in everything that a packing depends on.
typedef struct {
    const int64_t *size; // per dimension of the packing
    uint32_t count;      // number of pods
    uint32_t family;
    U32Vec classes; // of the solver; those most bound to places first
} PackItem;
typedef Vec(PackItem) PackItemVec;

// Existing nodes with equal room.
typedef struct {
    const int64_t *room;
    uint32_t count;
} PackNode;
typedef Vec(PackNode) PackNodes;

// A kind of node: an instance type of a pool at its lowest price, or existing nodes.
typedef struct {
    double price;          // $ per hour
    int64_t *room;         // per dimension
    uint32_t pool, row;    // of the solver; INDEX_NONE: existing nodes
    uint32_t supply;       // into Packing.supplies; INDEX_NONE: any number
    PackNodes *together;   // the existing nodes whose sum it is; NULL: it is one node
    uint32_t rank, takers; // for packing_make: breaks ties of price; index of the set of families
    uint64_t *families;    // families of items that may go there
} PackKind;
typedef Vec(PackKind) PackKindVec;

typedef struct {
    Arena *arena;
    Budget *budget;        // of the solve; NULL: unlimited
    uint32_t dims;         // resources, then rules that limit how many pods share a node
    uint32_t resources;    // number of dimensions that are resources
    uint32_t *resource_of; // dimension to dimension of the solver
    PackItemVec items;
    PackKindVec kinds;     // none dominated by another; cheapest first
    U32Vec main_kinds;     // the kinds that patterns are made of: without those that are similar to an earlier one
    Vec(double) supplies;  // number of nodes, of kinds in limited supply
    bool has_shares;       // spreads bind pods to domains (pack_shares.h)
    uint32_t family_count; // a family is a set of items that the same kinds take
    uint32_t *most;        // [kind * items.count + item]: how many fit into one node; 0: not allowed. NULL: too large
    uint32_t *takes;       // the items that a kind takes, ascending, kind by kind ...
    uint32_t *takes_end;   // ... per kind: where they end
    double *scaled_sizes;  // [item * dims + dim]: size over `scales`
    double *scales;        // per dimension, so that scaled sizes are near 1
} Packing;

// The most items (distinct sizes), and items × kinds, of packings with programs of a row per item; beyond that these
// are too slow for their gain. A larger packing has no `most`, and serves for prices of resources only.
enum { PACK_ITEMS_MAX = 1500, PACK_CELLS_MAX = 1500000 };

// The pods of a plan, for a packing of those alone.
typedef struct {
    const uint32_t *pods; // per class
    const bool *settled;  // per topology group: a spread that counts only domains with nodes
} PackPlaced;

// Makes the packing of a prepared solver, before or after it has placed pods: existing nodes count with the room that
// they had before. The solver is not changed, but for the cache of its label states.
// `placed`: NULL: of all pods; else of those, and what spreads bind to domains is bound to them in the packing
// (pack_shares.h): the solver must not have placed any then. Items that stand for such pods list no classes.
// O(classes + signatures × (offering shapes × pools + types + nodes) + kinds²).
void packing_make(Packing *packing, Arena *arena, Solver *solver, const PackPlaced *placed);

// Fills in what is derived from items, kinds and supplies. For packings that tests make; packing_make calls it.
void packing_finish(Packing *packing);

// Charges the solve's budget; false: it is used up.
static inline bool packing_spend(const Packing *packing, uint64_t steps) {
    return !packing->budget || budget_spend(packing->budget, steps);
}

// The items that fit into a node of the kind, ascending.
typedef struct {
    const uint32_t *items;
    uint32_t count;
} PackTakes;

static inline PackTakes packing_takes(const Packing *packing, uint32_t kind) {
    uint32_t from = kind ? packing->takes_end[kind - 1] : 0;

    return (PackTakes){packing->takes + from, packing->takes_end[kind] - from};
}

static inline const uint32_t *packing_most(const Packing *packing, uint32_t kind) {
    return packing->most + (size_t)kind * packing->items.count;
}
