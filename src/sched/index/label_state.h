// What a bin's node labels may still be, interned: equal states have equal numbers, and each step from a state by a
// set of constraints is computed once.
//
// A claim's state belongs to a pool and knows the instance types that its labels and offerings leave. A node's state
// cannot be narrowed: a step leads back to itself or nowhere.
#pragma once

#include "sched/index/type_table.h"

typedef struct {
    const TypeTable *table; // NULL: a node
    uint64_t *row;          // of the universe: what constraints allow
    uint64_t *possible;     // the part of `row` that some type left can have; `row` itself for a node
    uint64_t *rows;         // types left (table->words); NULL for a node
    uint64_t *shapes;       // offering shapes that `row` allows; NULL for a node
    double price_min;       // lowest price of an offering among them, 0 for a node: a hint for choosing domains
} LabelState;

typedef struct {
    Arena *arena;
    Universe *universe;
    Vec(LabelState) states;
    IndexMap index;
    IndexMap steps; // state << 32 | set to state, or a mark for "nothing"
    IndexMap pins;  // key << 32 | atom to set
} LabelStates;

enum { LABEL_STATE_NONE = INDEX_NONE };

void label_states_init(LabelStates *states, Arena *arena, Universe *universe);

// The state with that row, made when new; LABEL_STATE_NONE when no instance type is left and `keep_empty` is not set.
// The row (with one spare word behind it) is copied.
uint32_t label_state_intern(LabelStates *states, const TypeTable *table, const uint64_t *row, bool keep_empty);

// The state after adding constraints, LABEL_STATE_NONE when nothing satisfies them. O(1) after the first time.
uint32_t label_state_step(LabelStates *states, uint32_t state, LabelSetId set);

// The same for a bin that has pods already. Pods that each allow other values lead to as many states as there are
// combinations of pods: once there are LABEL_STATES_MANY states, no step is computed for joining others, as if nothing
// satisfied the constraints. Bins that are new are not affected.
enum { LABEL_STATES_MANY = 1 << 14 };
uint32_t label_state_join(LabelStates *states, uint32_t state, LabelSetId set);

// The constraint "the key has this one value", and "the key is within the mask".
LabelSetId label_state_pin_set(LabelStates *states, uint32_t key, uint32_t atom);
LabelSetId label_state_mask_set(LabelStates *states, uint32_t key, const uint64_t *mask);

static inline const LabelState *label_state_at(const LabelStates *states, uint32_t state) {
    return &states->states.items[state];
}
// What a state allows on a key.
static inline const uint64_t *label_state_key(const LabelStates *states, uint32_t state, uint32_t key) {
    return states->states.items[state].row + states->universe->keys.items[key].first_word;
}
