// Interns states and caches the steps between them.
#include "sched/index/label_state.h"

enum { STATE_DEAD = INDEX_NONE - 1 };

void label_states_init(LabelStates *states, Arena *arena, Universe *universe) {
    *states = (LabelStates){.arena = arena, .universe = universe};
}

uint32_t label_state_intern(LabelStates *states, const TypeTable *table, const uint64_t *row, bool keep_empty) {
    uint32_t words = states->universe->row_words, cursor = 0, found;
    uint64_t hash = hash_combine(slice_hash((Slice){(const char *)row, words * sizeof *row}), (uintptr_t)table);
    LabelState state = {.table = table};

    while ((found = index_map_next(&states->index, hash, &cursor)) != INDEX_NONE) {
        const LabelState *known = &states->states.items[found];

        if (known->table != table || !bitset_eq(known->row, row, words))
            continue;
        // The state may have been made with keep_empty before.
        return table && !keep_empty && bitset_is_empty(known->rows, table->words) ? LABEL_STATE_NONE : found;
    }
    if (table) {
        ArenaMark mark = arena_mark(states->arena);

        state.rows = arena_array_raw(states->arena, uint64_t, table->words + 1); // one spare word, as all rows have
        type_table_rows(table, states->universe, row, state.rows, NULL, NULL);
        state.price_min = type_table_price(table, states->universe, row, state.rows);
        if (!keep_empty && bitset_is_empty(state.rows, table->words)) {
            arena_rewind(states->arena, mark);
            return LABEL_STATE_NONE;
        }
    }
    state.row = arena_copy(states->arena, row, (words + 1) * sizeof *row);
    state.possible = state.row;
    if (table) {
        state.shapes = bitset_new(states->arena, table->shape_count + 1);
        type_table_shapes(table, states->universe, row, state.shapes);
        state.possible = arena_copy(states->arena, row, (words + 1) * sizeof *row);
        type_table_possible(table, states->universe, state.rows, state.possible);
    }
    found = states->states.count;
    vec_push(states->arena, &states->states, state);
    index_map_add(states->arena, &states->index, hash, found);
    return found;
}

static uint32_t compute_step(LabelStates *states, uint32_t state, const LabelSet *set) {
    const LabelState *from = &states->states.items[state];
    uint64_t *row;
    uint32_t result = LABEL_STATE_NONE;
    Arena scratch = {0};

    if (!from->table)
        return row_within(states->universe, from->row, set) ? state : LABEL_STATE_NONE;
    row = arena_copy(&scratch, from->row, (states->universe->row_words + 1) * sizeof *row);
    if (row_narrow(states->universe, row, set))
        result = label_state_intern(states, from->table, row, false);
    arena_free(&scratch);
    return result;
}

uint32_t label_state_step(LabelStates *states, uint32_t state, LabelSetId set) {
    uint64_t key = (uint64_t)state << 32 | set;
    uint32_t result;

    if (set == LABEL_SET_EMPTY)
        return state;
    result = u64_map_get(&states->steps, key);
    if (result == INDEX_NONE) {
        result = compute_step(states, state, label_set(states->universe, set));
        if (result == LABEL_STATE_NONE)
            result = STATE_DEAD;
        u64_map_put(states->arena, &states->steps, key, result);
    }
    return result == STATE_DEAD ? LABEL_STATE_NONE : result;
}

uint32_t label_state_join(LabelStates *states, uint32_t state, LabelSetId set) {
    if (states->states.count >= LABEL_STATES_MANY && set != LABEL_SET_EMPTY &&
        u64_map_get(&states->steps, (uint64_t)state << 32 | set) == INDEX_NONE)
        return LABEL_STATE_NONE;
    return label_state_step(states, state, set);
}

LabelSetId label_state_mask_set(LabelStates *states, uint32_t key, const uint64_t *mask) {
    Arena scratch = {0};
    LabelSetBuilder builder = label_set_start(&scratch, states->universe);
    LabelSetId set;

    label_set_and_mask(&builder, key, mask);
    set = label_set_finish(&builder);
    arena_free(&scratch);
    return set;
}

LabelSetId label_state_pin_set(LabelStates *states, uint32_t key, uint32_t atom) {
    uint64_t pin = (uint64_t)key << 32 | atom;
    uint32_t set = u64_map_get(&states->pins, pin);
    Arena scratch = {0};
    uint64_t *mask;

    if (set != INDEX_NONE)
        return set;
    mask = bitset_new(&scratch, states->universe->keys.items[key].atoms);
    bitset_set(mask, atom);
    set = label_state_mask_set(states, key, mask);
    arena_free(&scratch);
    u64_map_put(states->arena, &states->pins, pin, set);
    return set;
}
