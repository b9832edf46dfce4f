// Launch order: the types as which claims of one pool and label state can be launched, in the order in which a launch
// chooses.
//
// A claim is expected to become the first row of the launch order that is among its types: the lowest price of the best
// capacity type (reserved, then spot, then on-demand: scheduling.md 3.4). A *step* is a row that no earlier row equals
// or exceeds in every amount: only steps can be the cheapest for some load, so a search that grows claims considers
// steps alone.
//
// There are many label states and few sets of offering shapes. The options of all states with the same shapes are
// sorted once, as a launch list, from which each state takes its rows.
#pragma once

#include "sched/input/pool.h"

// Quanta: units in which amounts are int32 numbers, for vectorized comparison. A quantum divides all requests of a
// solve, so that nothing is lost by rounding; where that is too fine for 31 bits, free room is rounded down and
// requests up.
typedef struct {
    uint32_t dims;
    int64_t *unit; // per dimension
} Quanta;

typedef struct {
    uint32_t row;
    const Offering *offering;
    double price; // $ per hour
} LaunchOption;

// The rows of a pool that some of the shapes offer.
typedef struct {
    uint64_t *shapes;
    LaunchOption *options; // in launch order
    uint32_t *beaten_by;   // per option: a step that beats it, or a marker for none (launch_order.c)
    uint32_t *listed;      // rows in the order of a claim's type list: by lowest price of any offering, then name
    uint32_t count;
} LaunchList;

enum { PRICE_BLOCK = 16 };

typedef struct {
    const LaunchList *list;
    uint64_t *options; // bits: the options of the list that are rows of the state
    uint32_t *steps;   // into the list's options
    uint32_t step_count;
    float *prices;       // per step
    float *least_prices; // per PRICE_BLOCK steps: the lowest of their prices
    int32_t *free;       // [dim * step_count + step], in quanta; -1: daemons need more than there is
} LaunchOrder;

// Computes the quanta of a solve, whose classes and rooms must be made. O((classes + rows) × dims).
void quanta_make(Arena *arena, const ClassTable *classes, const PoolVec *pools, Quanta *ret_quanta);

// Rounded up; more than any room has for what does not fit a number.
static inline int32_t quanta_up(const Quanta *quanta, uint32_t dim, int64_t amount) {
    int64_t count = amount <= 0 ? 0 : (amount - 1) / quanta->unit[dim] + 1;

    return count > INT32_MAX / 2 ? INT32_MAX / 2 : (int32_t)count;
}

// Makes the launch list of a set of shapes (bits of the pool's table). O(rows × (offerings + log rows + steps × dims)).
LaunchList *launch_list_make(Arena *arena, const Pool *pool, const uint64_t *shapes, const Symbols *symbols);

// Makes the launch order of a state with the list's shapes. O(rows), and O(steps × dims) for each row that is beaten by
// a step which the state lacks.
LaunchOrder *launch_order_make(Arena *arena, const Pool *pool, const LaunchList *list, const LabelState *state,
                               const Quanta *quanta);

static inline const LaunchOption *launch_at_step(const LaunchOrder *launch_order, uint32_t step) {
    return &launch_order->list->options[launch_order->steps[step]];
}

// The first option that is in `rows`; NULL: none. O(options).
const LaunchOption *launch_order_choice(const LaunchOrder *launch_order, const uint64_t *rows);
