// A NodePool during one solve: its template as a state, its types with the daemons taken off, its limits.
#pragma once

#include "sched/index/label_state.h"
#include "sched/input/pod_class.h"

// A value of a minValues key: its number among the pool's values, and its atom.
typedef struct {
    uint32_t number, atom;
} MinValue;

// minValues of one key.
typedef struct {
    Symbol key;
    uint32_t key_index; // of the universe
    int32_t wanted;
    uint32_t value_count;
    Vec(MinValue) *values; // per row: those that the type lists
} MinValues;
typedef Vec(MinValues) MinValuesVec;

// Host ports that a daemon takes, and the rows where it runs.
typedef struct {
    const PortSet *ports;
    const uint64_t *rows;
} DaemonPorts;

typedef struct {
    const NodePool *pool;
    uint32_t number; // in the order of trying
    const TypeTable *table;
    Room *room;
    Requirements requirements; // of the template: spec, labels, nodepool, node class, registered, initialized
    Labels labels;             // of the template, with nodepool and node class
    uint64_t *template_row;    // of the universe
    uint64_t *label_rows;      // types that the template's labels allow: a claim has no others
    uint32_t full_state;       // the template, to step from; it may have no type left
    uint32_t open_state;       // new claims without a reservation start here; LABEL_STATE_NONE: no type is left
    Vec(DaemonPorts) daemon_ports;
    MinValuesVec min_values;
    bool min_values_unmet; // the template alone cannot meet them (Strict)
    double node_loss_cost; // dollars per hour, sched/bin/blast_radius.h
    // Limits: what is left, per dimension; INT64_MAX: no limit.
    bool limited;
    int64_t *left;
    int64_t nodes_left;   // INT64_MAX: no limit
    int64_t *largest;     // capacity of the largest row, per dimension
    uint64_t **no_larger; // per row, made when asked for: rows no larger in any limited resource
    bool charge_largest;  // claims are charged with the largest type they may become, not with the expected one
} Pool;
typedef Vec(Pool) PoolVec;

// Whether no earlier pool of the input shares its vector of instance types: what is asked of types is asked once.
bool plan_pool_has_new_types(const PlanInput *input, uint32_t number);

// Orders the pools (weight, then name, both descending) and mentions their labels. Before the universe is frozen.
void pools_mention(const PlanInput *input, Universe *universe, PoolVec *ret_pools, Arena *arena);

// Fills the rest. After the universe is frozen and the classes' dimensions and ports are known.
void pools_make(ClassTable *table, LabelStates *states, PoolVec *pools);

// Whether the key is a well-known label: a pool that does not define it leaves it to the instance type.
bool pool_knows_key(const Pool *pool, const Universe *universe, uint32_t key);

// Whether the pool's taints are tolerated, all effects counted (a PreferNoSchedule taint too: scheduling.md 5.5).
bool pool_tolerated(const Pool *pool, const Symbols *symbols, const TolerationVec *tolerations);

// Takes out rows whose daemons use one of the host ports. O(daemons with ports × (ports + words)).
void pool_drop_port_conflicts(const Pool *pool, const PortSet *ports, uint64_t *rows);

// Takes out rows whose capacity is over what is left of the limits; `charge` (NULL: nothing) is what the claim that
// asks has been charged already. O(rows × dims), O(dims) while the limits are far.
void pool_limit_rows(const Pool *pool, const int64_t *charge, uint64_t *rows);

// Whether the rows have enough distinct values for every minValues, of those that `labels` (a row of the universe)
// still allows. wanted NULL: as the pool says. ret_counts (may be NULL) gets what they have. O(rows × values).
bool pool_min_values_met(const Pool *pool, const Universe *universe, const uint64_t *labels, const uint64_t *rows,
                         const int32_t *wanted, int32_t *ret_counts);
