// An index of bins by load, to find the one where more pods cost least without asking each bin.
//
// Bins in one state (and for nodes under one set of taints) stand on one shelf; on a shelf of claims those that would
// be launched as the same step of the ladder form a rack. A rack keeps the load of its bins as columns of quanta, so
// that "which of these have room" is a scan over packed numbers. A hit is only a proposal: bin_try decides.
#pragma once

#include "sched/bin.h"

// Bins with equal prospects. Lanes are in no order.
typedef struct {
    uint32_t count, capacity;
    uint32_t *bins;
    int32_t *load;  // [dim * capacity + lane]: used of a claim, minus what is free of a node
    int32_t *least; // per dimension: no lane's load is below it
} Rack;

typedef struct {
    Pool *pool; // NULL: nodes
    uint32_t state;
    const TaintVec *taints; // nodes: those of the first one
    const Ladder *ladder;   // claims
    Rack *racks;            // per step; nodes: one
    uint32_t rack_count, bin_count;
} Shelf;
typedef Vec(Shelf *) ShelfVec;

// Where a bin stands. shelf INDEX_NONE: nowhere (nothing can be launched for it, or it has left).
typedef struct {
    uint32_t shelf, rack, lane;
} RackPlace;

typedef struct {
    Solver *solver;
    Arena *arena;
    ShelfVec shelves;
    IndexMap index;        // pool or taints, and state
    Vec(RackPlace) places; // per bin
} Racks;

// Puts all bins in. O(bins × dims).
void racks_init(Racks *racks, Solver *solver, Arena *arena);

// Puts a bin, new or changed, where it belongs now. O(dims + steps).
void racks_update(Racks *racks, uint32_t bin);

// Takes a bin out. O(dims).
void racks_remove(Racks *racks, uint32_t bin);

enum { RACK_BLOCK = 256 };

// Whether some lane's load can be at most `most` in every dimension. INT32_MAX: any. O(dims).
bool rack_may_have(const Rack *rack, uint32_t dims, const int32_t *most);

// Those lanes, of the RACK_BLOCK ones from `start` on; their number. O(lanes × dims), many lanes at a time.
uint32_t rack_find(const Rack *rack, uint32_t dims, const int32_t *most, uint32_t start, uint32_t *ret_lanes);
