// Label states: the values that the labels of a bin may still have. States are interned, so that equal states have
// equal numbers and each step (adding a set of constraints to a state) is computed once.
//
// The state of a claim belongs to a table of types and has the instance types that its labels and offerings leave. The
// state of a node cannot be narrowed: a step leads to the same state or to none.
#pragma once

#include "sched/index/type_table.h"

typedef struct {
    const TypeTable *table; // NULL: a node
    uint64_t *row;          // of the universe: what constraints allow
    uint64_t *possible;     // the part of `row` that some type left can have; `row` itself for a node
    uint64_t *rows;         // types left (table->words); NULL for a node
    uint64_t *shapes;       // offering shapes that `row` allows; NULL for a node
    double price_min;       // lowest price of an offering of `rows` and `shapes`; 0 for a node
} LabelState;

typedef struct {
    Arena *arena;
    Universe *universe;
    Vec(LabelState) states;
    IndexMap index;
    IndexMap steps; // state << 32 | set to state, or a marker for LABEL_STATE_NONE
    IndexMap pins;  // key << 32 | atom to set
} LabelStates;

enum { LABEL_STATE_NONE = INDEX_NONE };

void label_states_init(LabelStates *states, Arena *arena, Universe *universe);

// The state with that row, made when new; LABEL_STATE_NONE when no instance type is left and `keep_empty` is not set.
// The row is copied, with the spare word after it.
uint32_t label_state_intern(LabelStates *states, const TypeTable *table, const uint64_t *row, bool keep_empty);

// The state after adding constraints, LABEL_STATE_NONE when nothing satisfies them. O(1) after the first time.
uint32_t label_state_step(LabelStates *states, uint32_t state, LabelSetId set);

// The same for a bin that has pods already. Pods that allow different values can lead to as many states as there are
// combinations of pods. Once there are LABEL_STATES_MANY states, only steps that are known are found here; others count
// as unsatisfiable. New bins are not affected, as they use label_state_step.
enum { LABEL_STATES_MANY = 1 << 14 };
uint32_t label_state_join(LabelStates *states, uint32_t state, LabelSetId set);

// The constraints "the key has this value" and "the key's value is in the mask". O(1) after the first time.
LabelSetId label_state_pin_set(LabelStates *states, uint32_t key, uint32_t atom);
LabelSetId label_state_mask_set(LabelStates *states, uint32_t key, const uint64_t *mask);

static inline const LabelState *label_state_at(const LabelStates *states, uint32_t state) {
    return &states->states.items[state];
}
// The mask of a key's values that a state allows.
static inline const uint64_t *label_state_key(const LabelStates *states, uint32_t state, uint32_t key) {
    return states->states.items[state].row + states->universe->keys.items[key].first_word;
}
