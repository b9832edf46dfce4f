// What a node label may be: the set of its possible states, "missing" among them.
//
// Everything the checker asks about labels is asked of these sets. A pod's expression is the set of states it accepts
// (NotIn accepts a missing label, as kube-scheduler does); a pool's requirement, an instance type and a planned claim
// are the states their node may show. A pod is safe on a node when node ⊆ pod; it can be made to fit when the two
// meet. Memory: the arena given.
#pragma once

#include "base/symbol.h"

typedef enum {
    OPERATOR_IN,
    OPERATOR_NOT_IN,
    OPERATOR_EXISTS,
    OPERATOR_DOES_NOT_EXIST,
    OPERATOR_GT,
    OPERATOR_LT,
    OPERATOR_GTE,
    OPERATOR_LTE,
} Operator;

typedef struct {
    bool missing;        // the label may be missing
    bool others;         // present: every value but `values`; else only `values`
    int64_t least, most; // with `others`: when not the whole range, only integers within it
    U32Vec values;
} LabelStates;

typedef struct {
    Symbol key;
    LabelStates states;
} KeyStates;
typedef Vec(KeyStates) StateTable;

// Only missing.
LabelStates judge_states_missing(void);
// Present with any value.
LabelStates judge_states_any(void);
LabelStates judge_states_value(Arena *arena, Symbol value);
// The states that an expression accepts. A bound that is no integer accepts nothing.
LabelStates judge_states_of_expression(const Symbols *symbols, Operator op, U32Vec values);

bool judge_states_have(const Symbols *symbols, const LabelStates *states, Symbol value);
LabelStates judge_states_meet(Arena *arena, const Symbols *symbols, const LabelStates *a, const LabelStates *b);
bool judge_states_are_empty(const Symbols *symbols, const LabelStates *states);
// Whether every state of `a` is one of `b`. Errs on the side of false for infinite sets with bounds.
bool judge_states_are_within(const Symbols *symbols, const LabelStates *a, const LabelStates *b);
// The value when the label is present with exactly one, else INDEX_NONE.
Symbol judge_states_only_value(const LabelStates *states);

// NULL: the table says nothing of the key.
const LabelStates *judge_table_get(const StateTable *table, Symbol key);
// Meets with what the table says already.
void judge_table_narrow(Arena *arena, const Symbols *symbols, StateTable *table, Symbol key, const LabelStates *states);
