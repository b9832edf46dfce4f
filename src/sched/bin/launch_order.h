// What the claims of one pool and state can be launched as, in the order in which a launch would choose.
//
// A claim is expected to become the first row of the launch order that it still allows: the lowest price of the best
// capacity type (reserved, then spot, then on-demand: scheduling.md 3.4). A *step* is a row that no earlier row beats
// in every amount: only these can be the cheapest for any load, so a search that grows claims looks at steps alone.
#pragma once

#include "sched/input/pool.h"

// Amounts in quanta: int32 numbers that are compared many at a time. A quantum divides all requests of a solve, so that
// nothing is lost by rounding; where that is too fine for 31 bits, free room is rounded down and requests are up.
typedef struct {
    uint32_t dims;
    int64_t *unit; // per dimension
} Quanta;

typedef struct {
    uint32_t row;
    const Offering *offering;
    double price; // per hour
} LaunchOption;

typedef struct {
    LaunchOption *launches; // of each row of the state, in launch order
    uint32_t launch_count;
    uint32_t *listed; // the same rows in the order of a claim's type list: lowest price of any offering, then name
    uint32_t *steps;  // into launches
    uint32_t step_count;
    float *prices; // per step
    int32_t *free; // [dim * step_count + step], in quanta; -1: too little for anything
} LaunchOrder;

// Quanta for a solve: classes and rooms must be made. O(classes + rows).
void quanta_make(Arena *arena, const ClassTable *classes, const PoolVec *pools, Quanta *ret_quanta);

static inline int32_t quanta_up(const Quanta *quanta, uint32_t dim, int64_t amount) {
    return amount <= 0 ? 0 : (int32_t)((amount + quanta->unit[dim] - 1) / quanta->unit[dim]);
}

// O(rows × (offerings + steps × dims)).
LaunchOrder *launch_order_make(Arena *arena, const Pool *pool, const LabelState *state, const Quanta *quanta,
                               const Symbols *symbols);

// The first launch that is in `rows`; NULL: none. O(launches).
const LaunchOption *launch_order_choice(const LaunchOrder *launch_order, const uint64_t *rows);
