// An index of bins by load, to find the one where more pods cost least without asking each bin.
//
// Bins in one state (and for nodes under one set of taints) stand on one bin_group; on a bin_group of claims those that
// would be launched as the same step of the launch_order form a load_table. A load_table keeps the load of its bins as
// columns of quanta, so that "which of these have room" is a scan over packed numbers. A hit is only a proposal:
// bin_try decides.
#pragma once

#include "sched/solver.h"

// Bins with equal prospects. Lanes are in no order.
typedef struct {
    uint32_t count, capacity;
    uint32_t *bins;
    int32_t *load;  // [dim * capacity + lane]: used of a claim, minus what is free of a node
    int32_t *least; // per dimension: no lane's load is below it
} LoadTable;

typedef struct {
    Pool *pool; // NULL: nodes
    uint32_t state;
    const TaintVec *taints;          // nodes: those of the first one
    const LaunchOrder *launch_order; // claims
    LoadTable *load_tables;          // per step; nodes: one
    uint32_t load_table_count, load_table_capacity, bin_count;
} BinGroup;
typedef Vec(BinGroup *) BinGroupVec;

// Where a bin stands. bin_group INDEX_NONE: nowhere (nothing can be launched for it, or it has left).
typedef struct {
    uint32_t bin_group, load_table, lane;
} BinPlace;

typedef struct {
    Solver *solver;
    Arena *arena;
    BinGroupVec bin_groups;
    uint32_t group_bins;  // bin groups that have bins
    BinGroupVec spare;    // taken out, for others to come
    IndexMap index;       // pool or taints, and state
    Vec(BinPlace) places; // per bin
} BinIndex;

// Puts all bins in. O(bins × dims).
void bin_index_init(BinIndex *bin_index, Solver *solver, Arena *arena);

// Puts a bin, new or changed, where it belongs now. O(dims + steps).
void bin_index_update(BinIndex *bin_index, uint32_t bin);

// Takes a bin out. O(dims).
void bin_index_remove(BinIndex *bin_index, uint32_t bin);

// Takes out bin groups that have lost their bins, where they are most of many: pods of many kinds lead claims through
// many states. The others stay in their order, with other numbers. O(1), O(bins + groups) when it does.
void bin_index_tidy(BinIndex *bin_index);

enum { LOAD_TABLE_BLOCK = 256 };

// Whether some lane's load can be at most `most` in every dimension. INT32_MAX: any. O(dims).
bool load_table_may_have(const LoadTable *load_table, uint32_t dims, const int32_t *most);

// Those lanes, of the LOAD_TABLE_BLOCK ones from `start` on; their number. O(lanes × dims), many lanes at a time.
uint32_t load_table_find(const LoadTable *load_table, uint32_t dims, const int32_t *most, uint32_t start,
                         uint32_t *ret_lanes);
