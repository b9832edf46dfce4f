// An index of bins by load, for finding bins with room without a verdict for each bin.
//
// Bins with one label state (nodes: also with one set of taints) are a bin group. The claims of a bin group that would
// be launched as the same step of the launch order are a load table, which has the loads of its bins as columns of
// quanta, so that "which of these have room" is a scan over packed numbers. A hit is a candidate only: bin_try decides.
#pragma once

#include "sched/solver.h"

// Bins of one group and step. A lane is a bin's position; lanes are in no order.
typedef struct {
    uint32_t count, capacity;
    uint32_t *bins;
    int32_t *load;  // [dim * capacity + lane]: `used` of a claim, −`free` of a node
    int32_t *least; // per dimension: lower bound of all lanes' loads; exact where they are few (LOAD_TABLE_BLOCK)
    int64_t *sum;   // per dimension, of all lanes' loads
} LoadTable;

typedef struct {
    Pool *pool; // NULL: nodes
    uint32_t state;
    const TaintVec *taints;          // nodes: taints of the first one
    const LaunchOrder *launch_order; // claims
    LoadTable *load_tables;          // per step; nodes: one
    uint64_t *occupied;              // bits: the load tables that have bins
    uint32_t load_table_count, load_table_capacity, bin_count;
} BinGroup;
typedef Vec(BinGroup *) BinGroupVec;

// The position of a bin. `bin_group` INDEX_NONE: not in the index (nothing can be launched for it, or it was removed).
typedef struct {
    uint32_t bin_group, load_table, lane;
} BinPlace;

typedef struct {
    Solver *solver;
    Arena *arena;
    BinGroupVec bin_groups;
    uint32_t group_bins;  // number of bin groups that have bins
    BinGroupVec spare;    // removed groups, to be reused
    IndexMap index;       // pool or taints, and state, to bin group
    Vec(BinPlace) places; // per bin
} BinIndex;

// Makes the index of all bins. O(bins × dims).
void bin_index_init(BinIndex *bin_index, Solver *solver, Arena *arena);

// Adds a bin, or moves it after a change. O(dims + steps).
void bin_index_update(BinIndex *bin_index, uint32_t bin);

// Removes a bin. O(dims).
void bin_index_remove(BinIndex *bin_index, uint32_t bin);

// Removes empty bin groups, if there are many groups and most are empty (pods of many kinds lead claims through many
// label states). The others keep their order and are renumbered. O(1); O(bins + groups) when groups are removed.
void bin_index_tidy(BinIndex *bin_index);

enum { LOAD_TABLE_BLOCK = 256 };

// for (each_load_table(number, bin_group)) { … }: those that have bins, which are few of many steps. Bins may be moved
// meanwhile.
#define each_load_table(name, bin_group)                                                                               \
    bitset_each(name, (bin_group)->occupied, bitset_words((bin_group)->load_table_count))

// Whether some lane's load may be at most `most` in every dimension (INT32_MAX: any load). O(dims).
bool load_table_may_have(const LoadTable *load_table, uint32_t dims, const int32_t *most);

// Finds those lanes among LOAD_TABLE_BLOCK lanes from `start` on, and returns their number. O(lanes × dims),
// vectorized.
uint32_t load_table_find(const LoadTable *load_table, uint32_t dims, const int32_t *most, uint32_t start,
                         uint32_t *ret_lanes);
