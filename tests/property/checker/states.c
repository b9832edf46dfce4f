// Sets of states of a label: meeting, emptiness, inclusion.
#include "checker/states.h"

static bool is_bounded(const LabelStates *states) {
    return states->least != INT64_MIN || states->most != INT64_MAX;
}

LabelStates judge_states_missing(void) {
    return (LabelStates){.missing = true, .least = INT64_MIN, .most = INT64_MAX};
}

LabelStates judge_states_any(void) {
    return (LabelStates){.others = true, .least = INT64_MIN, .most = INT64_MAX};
}

LabelStates judge_states_value(Arena *arena, Symbol value) {
    LabelStates states = {.least = INT64_MIN, .most = INT64_MAX};

    vec_push(arena, &states.values, value);
    return states;
}

static LabelStates states_of_bound(const Symbols *symbols, Operator op, U32Vec values) {
    LabelStates states = judge_states_any();
    int64_t bound;

    if (values.count != 1 || !slice_to_int64(symbol_text(symbols, values.items[0]), &bound))
        return (LabelStates){.least = INT64_MIN, .most = INT64_MAX};
    if (op == OPERATOR_GT && bound < INT64_MAX)
        states.least = bound + 1;
    else if (op == OPERATOR_GTE)
        states.least = bound;
    else if (op == OPERATOR_LT && bound > INT64_MIN)
        states.most = bound - 1;
    else if (op == OPERATOR_LTE)
        states.most = bound;
    else
        states.others = false;
    return states;
}

LabelStates judge_states_of_expression(const Symbols *symbols, Operator op, U32Vec values) {
    LabelStates states = {.least = INT64_MIN, .most = INT64_MAX};

    switch (op) {
    case OPERATOR_IN:
        states.values = values;
        return states;
    case OPERATOR_NOT_IN:
        states.values = values;
        states.missing = states.others = true;
        return states;
    case OPERATOR_EXISTS:
        return judge_states_any();
    case OPERATOR_DOES_NOT_EXIST:
        return judge_states_missing();
    default:
        return states_of_bound(symbols, op, values);
    }
}

static bool has_symbol(const U32Vec *values, Symbol value) {
    for (uint32_t i = 0; i < values->count; i++) {
        if (values->items[i] == value)
            return true;
    }
    return false;
}

bool judge_states_have(const Symbols *symbols, const LabelStates *states, Symbol value) {
    int64_t number;

    if (!states->others)
        return has_symbol(&states->values, value);
    if (has_symbol(&states->values, value))
        return false;
    if (!is_bounded(states))
        return true;
    return slice_to_int64(symbol_text(symbols, value), &number) && number >= states->least && number <= states->most;
}

LabelStates judge_states_meet(Arena *arena, const Symbols *symbols, const LabelStates *a, const LabelStates *b) {
    LabelStates meet = {.missing = a->missing && b->missing, .least = INT64_MIN, .most = INT64_MAX};
    const LabelStates *listed = a->others ? b : a, *other = a->others ? a : b;

    if (a->others && b->others) {
        meet.others = true;
        meet.least = a->least > b->least ? a->least : b->least;
        meet.most = a->most < b->most ? a->most : b->most;
        for (uint32_t i = 0; i < a->values.count; i++)
            vec_push(arena, &meet.values, a->values.items[i]);
        for (uint32_t i = 0; i < b->values.count; i++) {
            if (!has_symbol(&meet.values, b->values.items[i]))
                vec_push(arena, &meet.values, b->values.items[i]);
        }
        return meet;
    }
    for (uint32_t i = 0; i < listed->values.count; i++) {
        if (judge_states_have(symbols, other, listed->values.items[i]))
            vec_push(arena, &meet.values, listed->values.items[i]);
    }
    return meet;
}

// Whether a range of integers has one that is not excluded.
static bool range_is_empty(const Symbols *symbols, const LabelStates *states) {
    uint64_t excluded = 0;

    if (states->least > states->most)
        return true;
    if ((uint64_t)states->most - (uint64_t)states->least >= states->values.count)
        return false;
    for (uint32_t i = 0; i < states->values.count; i++) {
        int64_t number;

        if (slice_to_int64(symbol_text(symbols, states->values.items[i]), &number) && number >= states->least &&
            number <= states->most)
            excluded++;
    }
    return excluded > (uint64_t)states->most - (uint64_t)states->least;
}

bool judge_states_are_empty(const Symbols *symbols, const LabelStates *states) {
    if (states->missing)
        return false;
    if (!states->others)
        return states->values.count == 0;
    return is_bounded(states) && range_is_empty(symbols, states);
}

bool judge_states_are_within(const Symbols *symbols, const LabelStates *a, const LabelStates *b) {
    if (a->missing && !b->missing)
        return false;
    if (!a->others) {
        for (uint32_t i = 0; i < a->values.count; i++) {
            if (!judge_states_have(symbols, b, a->values.items[i]))
                return false;
        }
        return true;
    }
    if (!b->others || a->least < b->least || a->most > b->most)
        return false;
    for (uint32_t i = 0; i < b->values.count; i++) {
        if (judge_states_have(symbols, a, b->values.items[i]))
            return false;
    }
    return true;
}

Symbol judge_states_only_value(const LabelStates *states) {
    return !states->missing && !states->others && states->values.count == 1 ? states->values.items[0] : INDEX_NONE;
}

const LabelStates *judge_table_get(const StateTable *table, Symbol key) {
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->items[i].key == key)
            return &table->items[i].states;
    }
    return NULL;
}

void judge_table_narrow(Arena *arena, const Symbols *symbols, StateTable *table, Symbol key,
                        const LabelStates *states) {
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->items[i].key == key) {
            table->items[i].states = judge_states_meet(arena, symbols, &table->items[i].states, states);
            return;
        }
    }
    vec_push(arena, table, (KeyStates){key, *states});
}
