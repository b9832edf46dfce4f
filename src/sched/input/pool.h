// A NodePool in one solve: its template as a label state, its types' room without that of daemons, its limits.
#pragma once

#include "sched/index/label_state.h"
#include "sched/input/pod_class.h"

// A value of a minValues key: its index among the pool's values, and its atom.
typedef struct {
    uint32_t number, atom;
} MinValue;

// minValues of one key.
typedef struct {
    Symbol key;
    uint32_t key_index; // of the universe
    int32_t wanted;
    uint32_t value_count;
    Vec(MinValue) *values; // per row of the type table: the values that the type lists
} MinValues;
typedef Vec(MinValues) MinValuesVec;

// Host ports that a daemon uses, and the rows of types on which it runs.
typedef struct {
    const PortSet *ports;
    const uint64_t *rows;
} DaemonPorts;

typedef struct {
    const NodePool *pool;
    uint32_t number; // index in the order in which pools are tried
    const TypeTable *table;
    Room *room;
    Requirements requirements; // of the template: spec, labels, nodepool, node class, registered, initialized
    Labels labels;             // of the template, with nodepool and node class
    uint64_t *template_row;    // of the universe
    uint64_t *label_rows;      // types that the template's labels allow: a claim has no others
    uint32_t full_state;       // label state of the template; it may have no type left
    uint32_t open_state;       // label state of new claims without a reservation; LABEL_STATE_NONE: no type is left
    Vec(DaemonPorts) daemon_ports;
    U32Vec daemons_left_out; // DaemonSets whose pods fit on no type beside those before them (ClassTable.daemon_order)
    MinValuesVec min_values;
    bool min_values_unmet; // the template alone cannot meet them (Strict)
    double node_loss_cost; // dollars per hour (bin/blast_radius.h)
    // What is left of the limits, per dimension; INT64_MAX: no limit.
    bool limited;
    int64_t *left;
    bool exhausted;       // its nodes are over a limit already: no claim can be opened
    int64_t nodes_left;   // INT64_MAX: no limit
    int64_t *largest;     // capacity of the largest type that it may launch, per dimension
    uint64_t **no_larger; // per row, computed on first use: the rows that are no larger in any limited resource
    uint32_t *by_size;    // with limits and minValues: rows from the smallest to the largest in limited resources
    bool charge_largest;  // limits are charged with the largest type a claim may become, not with the expected one
} Pool;
typedef Vec(Pool) PoolVec;

// Whether no earlier pool of the input has the same vector of instance types, so that work is done once per vector.
bool plan_pool_has_new_types(const PlanInput *input, uint32_t number);

// Sorts the pools (by weight, then name, both descending) and mentions their labels. To be called before the universe
// is frozen.
void pools_mention(const PlanInput *input, Universe *universe, PoolVec *ret_pools, Arena *arena);

// Fills in the rest. To be called after the universe is frozen, when the dimensions and ports of classes are known.
void pools_make(ClassTable *table, LabelStates *states, PoolVec *pools);

// Whether the key is a well-known label, which the instance type decides when the pool does not define it.
bool pool_knows_key(const Pool *pool, const Universe *universe, uint32_t key);

// Whether all taints of the pool are tolerated, also those of effect PreferNoSchedule (scheduling.md 5.5).
bool pool_tolerated(const Pool *pool, const Symbols *symbols, const TolerationVec *tolerations);

// Removes the rows on which a daemon uses one of the host ports. O(daemons with ports × (ports + words)).
void pool_drop_port_conflicts(const Pool *pool, const PortSet *ports, uint64_t *rows);

// Removes the rows whose capacity is over what is left of the limits. `charge`: what the claim itself has been charged
// (NULL: nothing). O(rows × dims); O(dims) while the largest type is within the limits.
void pool_limit_rows(const Pool *pool, const int64_t *charge, uint64_t *rows);

// Whether the rows have enough distinct values for every minValues, counting values that `labels` (a row of the
// universe) allows. `wanted`: the required numbers (NULL: the pool's); `ret_counts`: the numbers found (may be NULL).
// O(rows × values).
bool pool_min_values_met(const Pool *pool, const Universe *universe, const uint64_t *labels, const uint64_t *rows,
                         const int32_t *wanted, int32_t *ret_counts);
