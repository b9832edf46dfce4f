// What the claims of one pool and state can be launched as, in the order in which a launch would choose.
//
// A claim is expected to become the first row of the launch order that it still allows: the lowest price of the best
// capacity type (reserved, then spot, then on-demand: scheduling.md 3.4). A *step* is a row that no earlier row beats
// in every amount: only these can be the cheapest for any load, so a search that grows claims looks at steps alone.
//
// There are many states and few sets of offering shapes. What all states with the same shapes share is sorted once, as
// a launch list; a state picks its rows out of it.
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

// All rows that a claim of the pool may have and some of the shapes offer.
typedef struct {
    uint64_t *shapes;
    LaunchOption *options; // in launch order
    uint32_t *beaten_by;   // per option: a step that beats it, or a word for none (launch_order.c)
    uint32_t *listed;      // rows in the order of a claim's type list: lowest price of any offering, then name
    uint32_t count;
} LaunchList;

typedef struct {
    const LaunchList *list;
    uint64_t *options; // bits: those of the list that are of the state's rows
    uint32_t *steps;   // into the list's options
    uint32_t step_count;
    float *prices; // per step
    int32_t *free; // [dim * step_count + step], in quanta; -1: too little for anything
} LaunchOrder;

// Quanta for a solve: classes and rooms must be made. O(classes + rows).
void quanta_make(Arena *arena, const ClassTable *classes, const PoolVec *pools, Quanta *ret_quanta);

static inline int32_t quanta_up(const Quanta *quanta, uint32_t dim, int64_t amount) {
    return amount <= 0 ? 0 : (int32_t)((amount + quanta->unit[dim] - 1) / quanta->unit[dim]);
}

// `shapes`: bits of the pool's table. O(rows × (offerings + log rows + steps × dims)).
LaunchList *launch_list_make(Arena *arena, const Pool *pool, const uint64_t *shapes, const Symbols *symbols);

// Of a state with the list's shapes. O(rows), and O(steps × dims) for each row whose better step the state lacks.
LaunchOrder *launch_order_make(Arena *arena, const Pool *pool, const LaunchList *list, const LabelState *state,
                               const Quanta *quanta);

static inline const LaunchOption *launch_at_step(const LaunchOrder *launch_order, uint32_t step) {
    return &launch_order->list->options[launch_order->steps[step]];
}

// The first launch that is in `rows`; NULL: none. O(launches).
const LaunchOption *launch_order_choice(const LaunchOrder *launch_order, const uint64_t *rows);
