// LabelStates: the possible states of a node label: a set of values, and possibly "missing".
//
// All checks of labels are operations on these sets. A pod's expression is the set of states that it accepts (NotIn
// accepts a missing label, as in kube-scheduler); a pool's requirement, an instance type and a planned claim are the
// states that their node may have. A pod is safe on a node when node ⊆ pod; it can be made to fit when the two
// intersect. Memory: the arena given.
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
    bool others;         // any present value but `values`; else only `values`
    int64_t least, most; // with `others`: only integers in this range, unless it is the whole range
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
// The states that an expression accepts. A bound that is not an integer accepts none.
LabelStates judge_states_of_expression(const Symbols *symbols, Operator op, U32Vec values);

bool judge_states_have(const Symbols *symbols, const LabelStates *states, Symbol value);
LabelStates judge_states_meet(Arena *arena, const Symbols *symbols, const LabelStates *a, const LabelStates *b);
bool judge_states_are_empty(const Symbols *symbols, const LabelStates *states);
// Whether every state of `a` is one of `b`. May be false wrongly for infinite sets with bounds.
bool judge_states_are_within(const Symbols *symbols, const LabelStates *a, const LabelStates *b);
// The value if the label is present with exactly one, else INDEX_NONE.
Symbol judge_states_only_value(const LabelStates *states);

// NULL: the table has no entry for the key.
const LabelStates *judge_table_get(const StateTable *table, Symbol key);
// Intersects the key's entry with `states`.
void judge_table_narrow(Arena *arena, const Symbols *symbols, StateTable *table, Symbol key, const LabelStates *states);
