// Builds the universe of label values, and label sets.
#include "sched/index/universe.h"

#include "base/numbers.h"

#include <stdlib.h>

void universe_init(Universe *universe, Arena *arena, Symbols *symbols) {
    *universe = (Universe){.arena = arena, .symbols = symbols};
}

static uint32_t mention_key(Universe *universe, Symbol key) {
    uint32_t index = u64_map_get(&universe->key_index, key);

    if (index != INDEX_NONE)
        return index;
    index = universe->keys.count;
    vec_add(universe->arena, &universe->keys)->key = key;
    (void)vec_add(universe->arena, &universe->mentions);
    u64_map_put(universe->arena, &universe->key_index, key, index);
    return index;
}

static void want_value(Universe *universe, uint32_t key, uint32_t number) {
    bool *wanted = &universe->mentions.items[key].wanted.items[number];

    universe->excluded -= !*wanted;
    *wanted = true;
}

// `wanted`: the value is required, or something has it; else it is excluded.
static void mention_value_at(Universe *universe, uint32_t key, Symbol value, bool wanted) {
    LabelKey *label_key = &universe->keys.items[key];
    uint32_t number = u64_map_get(&label_key->atom_of, value);

    if (number == INDEX_NONE) {
        u64_map_put(universe->arena, &label_key->atom_of, value, universe->mentions.items[key].values.count);
        vec_push(universe->arena, &universe->mentions.items[key].values, value);
        vec_push(universe->arena, &universe->mentions.items[key].wanted, wanted);
        universe->excluded += !wanted;
    } else if (wanted) {
        want_value(universe, key, number);
    }
}

// Mentions a bound: an integer interval starts at `cut`.
static void mention_cut(Universe *universe, uint32_t key, int64_t cut) {
    vec_push(universe->arena, &universe->mentions.items[key].cuts, cut);
}

void universe_mention_value(Universe *universe, Symbol key, Symbol value) {
    mention_value_at(universe, mention_key(universe, label_key_normalize(universe->symbols, key)), value, true);
}

// The inclusive bounds of Gt, Gte, Lt and Lte; either may be absent. False: not an integer, so no value matches.
static bool expression_bounds(const Universe *universe, const Expression *expression, bool *ret_has_gte,
                              int64_t *ret_gte, bool *ret_has_lte, int64_t *ret_lte) {
    int64_t bound;

    *ret_has_gte = expression->op == OP_GT || expression->op == OP_GTE;
    *ret_has_lte = expression->op == OP_LT || expression->op == OP_LTE;
    if (!*ret_has_gte && !*ret_has_lte)
        return true;
    if (expression->values.count != 1 ||
        !slice_to_int64(symbol_text(universe->symbols, expression->values.items[0]), &bound))
        return false;
    if ((expression->op == OP_GT && bound == INT64_MAX) || (expression->op == OP_LT && bound == INT64_MIN))
        return false;
    *ret_gte = expression->op == OP_GT ? bound + 1 : bound;
    *ret_lte = expression->op == OP_LT ? bound - 1 : bound;
    return true;
}

static void mention_bounds(Universe *universe, uint32_t key, bool has_gte, int64_t gte, bool has_lte, int64_t lte) {
    if (has_gte)
        mention_cut(universe, key, gte);
    if (has_lte && lte < INT64_MAX)
        mention_cut(universe, key, lte + 1);
}

void universe_mention_expressions(Universe *universe, const ExpressionVec *expressions) {
    for (vec_each(Expression, expression, expressions)) {
        uint32_t key = mention_key(universe, label_key_normalize(universe->symbols, expression->key));
        bool has_gte, has_lte;
        int64_t gte = 0, lte = 0;

        if (expression->op == OP_IN || expression->op == OP_NOT_IN) {
            for (vec_each(Symbol, value, &expression->values))
                mention_value_at(universe, key, *value, expression->op == OP_IN);
        } else if (expression_bounds(universe, expression, &has_gte, &gte, &has_lte, &lte)) {
            mention_bounds(universe, key, has_gte, gte, has_lte, lte);
        }
    }
}

void universe_mention_labels(Universe *universe, const Labels *labels) {
    for (uint32_t i = 0; i < labels->count; i++)
        universe_mention_value(universe, labels->items[i].key, labels->items[i].value);
}

void universe_mention_requirements(Universe *universe, const Requirements *requirements) {
    for (uint32_t i = 0; i < requirements->count; i++) {
        const Requirement *requirement = &requirements->items[i];
        uint32_t key = mention_key(universe, requirement->key);

        for (vec_each(Symbol, value, &requirement->values))
            mention_value_at(universe, key, *value, true);
        mention_bounds(universe, key, requirement->has_gte, requirement->gte, requirement->has_lte, requirement->lte);
    }
}

void universe_mention_topology(Universe *universe, Symbol key) {
    uint32_t index = mention_key(universe, key); // may reallocate the mentions

    universe->mentions.items[index].topology = true;
}

static bool any_excluded(const Universe *universe, uint32_t key) {
    for (vec_each(const bool, wanted, &universe->mentions.items[key].wanted)) {
        if (!*wanted)
            return true;
    }
    return false;
}

KeysHad universe_keys_had(const Universe *universe, Arena *arena) {
    KeysHad keys = {0};

    for (uint32_t i = 0; i < universe->keys.count; i++) {
        if (universe->keys.items[i].key >= keys.symbols)
            keys.symbols = universe->keys.items[i].key + 1;
    }
    keys.matters = arena_array(arena, bool, keys.symbols);
    for (uint32_t i = 0; i < universe->keys.count; i++) {
        Symbol key = universe->keys.items[i].key;

        keys.matters[key] = (universe->mentions.items[i].topology && key != NAME_HOSTNAME) || any_excluded(universe, i);
        keys.any |= keys.matters[key];
    }
    return keys;
}

static void note_value(Universe *universe, uint32_t key, Symbol value) {
    uint32_t number;

    if (universe->mentions.items[key].topology && universe->keys.items[key].key != NAME_HOSTNAME) {
        mention_value_at(universe, key, value, true);
        return;
    }
    number = u64_map_get(&universe->keys.items[key].atom_of, value);
    if (number != INDEX_NONE)
        want_value(universe, key, number);
}

void universe_note_had(Universe *universe, const KeysHad *keys, const Requirements *requirements) {
    for (uint32_t i = 0; i < requirements->count && keys->any; i++) {
        const Requirement *requirement = &requirements->items[i];
        uint32_t key;

        if (requirement->key >= keys->symbols || !keys->matters[requirement->key] || requirement->complement)
            continue;
        key = u64_map_get(&universe->key_index, requirement->key);
        for (vec_each(const Symbol, value, &requirement->values))
            note_value(universe, key, *value);
    }
}

static int compare_int64(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static int compare_symbols(const void *a, const void *b, void *symbols) {
    return symbol_cmp(symbols, *(const Symbol *)a, *(const Symbol *)b);
}

// Removes values that are only excluded.
static void drop_excluded(Universe *universe, uint32_t index) {
    SymbolVec *values = &universe->mentions.items[index].values;
    const bool *wanted = universe->mentions.items[index].wanted.items;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < values->count; i++) {
        if (wanted[i]) {
            values->items[kept++] = values->items[i];
            continue;
        }
        u64_map_remove(&universe->keys.items[index].atom_of, values->items[i]);
        u64_map_put(universe->arena, &universe->keys.items[index].excluded, values->items[i], 1);
    }
    values->count = kept;
}

// Numbers the atoms of one key.
static void freeze_key(Universe *universe, uint32_t index) {
    LabelKey *key = &universe->keys.items[index];
    SymbolVec *values = &universe->mentions.items[index].values;
    int64_t *cuts = universe->mentions.items[index].cuts.items;
    uint32_t cut_count = universe->mentions.items[index].cuts.count, distinct = 0;

    if (values->count)
        qsort_r(values->items, values->count, sizeof *values->items, compare_symbols, universe->symbols);
    key->values = values->items;
    key->value_count = values->count;
    for (uint32_t i = 0; i < values->count; i++)
        u64_map_put(universe->arena, &key->atom_of, values->items[i], i);
    if (cut_count)
        qsort(cuts, cut_count, sizeof *cuts, compare_int64);
    for (uint32_t i = 0; i < cut_count; i++) {
        if (distinct == 0 || cuts[i] != cuts[distinct - 1])
            cuts[distinct++] = cuts[i];
    }
    key->cuts = cuts;
    key->cut_count = distinct;
    key->interval = key->value_count;
    key->other = key->interval + distinct + 1;
    key->absent = key->other + 1;
    key->atoms = key->absent + 1;
    key->first_word = universe->row_words;
    key->words = bitset_words(key->atoms);
    universe->row_words += key->words;
}

void universe_freeze(Universe *universe) {
    for (uint32_t i = 0; i < universe->keys.count; i++) {
        if (universe->excluded)
            drop_excluded(universe, i);
        freeze_key(universe, i);
    }
    (void)vec_add(universe->arena, &universe->sets); // LABEL_SET_EMPTY
    index_map_add(universe->arena, &universe->set_index, 0, LABEL_SET_EMPTY);
}

uint32_t universe_key(const Universe *universe, Symbol key) {
    return u64_map_get(&universe->key_index, key);
}

bool universe_is_excluded(const Universe *universe, uint32_t key, Symbol value) {
    return u64_map_get(&universe->keys.items[key].excluded, value) != INDEX_NONE;
}

// The interval that an integer falls into: the number of cuts at or below it.
static uint32_t interval_of(const LabelKey *key, int64_t number) {
    uint32_t low = 0, high = key->cut_count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (key->cuts[middle] <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t universe_atom(const Universe *universe, uint32_t index, Symbol value) {
    const LabelKey *key = &universe->keys.items[index];
    uint32_t atom = u64_map_get(&key->atom_of, value);
    int64_t number;

    if (atom != INDEX_NONE)
        return atom;
    if (slice_to_int64(symbol_text(universe->symbols, value), &number))
        return key->interval + interval_of(key, number);
    return key->other;
}

// Sets all atoms but `absent` whose values are within the bounds; without bounds all of them.
static void fill_within(const Universe *universe, const LabelKey *key, bool has_gte, int64_t gte, bool has_lte,
                        int64_t lte, uint64_t *mask) {
    bool bounded = has_gte || has_lte;

    for (uint32_t i = 0; i < key->value_count; i++) {
        int64_t number;

        if (!bounded || (slice_to_int64(symbol_text(universe->symbols, key->values[i]), &number) &&
                         (!has_gte || number >= gte) && (!has_lte || number <= lte)))
            bitset_set(mask, i);
    }
    for (uint32_t i = 0; i <= key->cut_count; i++) { // interval i is [cuts[i-1], cuts[i]); all bounds are cuts
        bool low_enough = !has_lte || (i < key->cut_count ? key->cuts[i] - 1 <= lte : lte == INT64_MAX);
        bool high_enough = !has_gte || (i > 0 ? key->cuts[i - 1] >= gte : gte == INT64_MIN);

        if (low_enough && high_enough)
            bitset_set(mask, key->interval + i);
    }
    if (!bounded)
        bitset_set(mask, key->other);
}

// Sets or clears the atoms of listed values. A value that is not mentioned has no atom of its own: then setting sets
// the atom that it is part of.
static void mark_values(const Universe *universe, uint32_t index, const SymbolVec *values, bool on, uint64_t *mask) {
    const LabelKey *key = &universe->keys.items[index];

    for (vec_each(Symbol, value, values)) {
        uint32_t atom = universe_atom(universe, index, *value);

        if (on)
            bitset_set(mask, atom);
        else if (atom < key->value_count)
            bitset_clear(mask, atom);
    }
}

void universe_expression_mask(const Universe *universe, uint32_t index, const Expression *expression, uint64_t *mask) {
    const LabelKey *key = &universe->keys.items[index];
    bool has_gte = false, has_lte = false;
    int64_t gte = 0, lte = 0;

    memset(mask, 0, key->words * sizeof *mask);
    switch (expression->op) {
    case OP_IN:
        mark_values(universe, index, &expression->values, true, mask);
        break;
    case OP_NOT_IN:
        fill_within(universe, key, false, 0, false, 0, mask);
        mark_values(universe, index, &expression->values, false, mask);
        bitset_set(mask, key->absent);
        break;
    case OP_DOES_NOT_EXIST:
        bitset_set(mask, key->absent);
        break;
    default:
        if (expression_bounds(universe, expression, &has_gte, &gte, &has_lte, &lte))
            fill_within(universe, key, has_gte, gte, has_lte, lte, mask);
    }
}

void universe_requirement_mask(const Universe *universe, uint32_t index, const Requirement *requirement,
                               uint64_t *mask) {
    const LabelKey *key = &universe->keys.items[index];

    memset(mask, 0, key->words * sizeof *mask);
    if (!requirement->complement) {
        mark_values(universe, index, &requirement->values, true, mask);
        if (!requirement->values.count)
            bitset_set(mask, key->absent);
        return;
    }
    fill_within(universe, key, requirement->has_gte, requirement->gte, requirement->has_lte, requirement->lte, mask);
    mark_values(universe, index, &requirement->values, false, mask);
    if (requirement->values.count && !requirement->has_gte && !requirement->has_lte)
        bitset_set(mask, key->absent); // a missing label satisfies NotIn
}

LabelSetBuilder label_set_start(Arena *scratch, Universe *universe) {
    // With the spare word that all rows have.
    return (LabelSetBuilder){.universe = universe,
                             .scratch = scratch,
                             .row = arena_array_raw(scratch, uint64_t, universe->row_words + 1),
                             .constrained = arena_array(scratch, bool, universe->keys.count + 1)};
}

void label_set_and_mask(LabelSetBuilder *builder, uint32_t key, const uint64_t *mask) {
    uint64_t *own = row_key(builder->universe, builder->row, key);
    uint32_t words = builder->universe->keys.items[key].words;

    if (builder->constrained[key]) {
        bitset_and(own, mask, words);
        return;
    }
    bitset_copy(own, mask, words);
    builder->constrained[key] = true;
    vec_push(builder->scratch, &builder->keys, key);
}

// A scratch mask for the key: on the stack for the usual sizes.
#define WITH_MASK(builder, key, mask)                                                                                  \
    uint64_t small_[64];                                                                                               \
    uint64_t *mask = (builder)->universe->keys.items[key].words <= 64                                                  \
                         ? small_                                                                                      \
                         : arena_array_raw((builder)->scratch, uint64_t, (builder)->universe->keys.items[key].words)

static void and_expression(LabelSetBuilder *builder, const Expression *expression) {
    Universe *universe = builder->universe;
    uint32_t key = universe_key(universe, label_key_normalize(universe->symbols, expression->key));

    CHECK(key != INDEX_NONE, "a constraint on a label key that was not mentioned");
    WITH_MASK(builder, key, mask);
    universe_expression_mask(universe, key, expression, mask);
    label_set_and_mask(builder, key, mask);
}

void label_set_and_expressions(LabelSetBuilder *builder, const ExpressionVec *expressions) {
    for (vec_each(Expression, expression, expressions))
        and_expression(builder, expression);
}

void label_set_and_term(LabelSetBuilder *builder, const ExpressionVec *expressions) {
    Universe *universe = builder->universe;

    label_set_and_expressions(builder, expressions);
    if (expressions->count)
        return;
    CHECK(universe->keys.count, "a term without any label key to deny");
    label_set_and_mask(builder, 0, bitset_new(builder->scratch, universe->keys.items[0].atoms));
}

void label_set_and_labels(LabelSetBuilder *builder, const Labels *labels) {
    for (uint32_t i = 0; i < labels->count; i++) {
        Symbol value = labels->items[i].value;
        Expression expression = {.key = labels->items[i].key, .op = OP_IN, .values = {&value, 1, 1}};

        and_expression(builder, &expression);
    }
}

void label_set_and_requirements(LabelSetBuilder *builder, const Requirements *requirements) {
    Universe *universe = builder->universe;

    for (uint32_t i = 0; i < requirements->count; i++) {
        uint32_t key = universe_key(universe, requirements->items[i].key);

        if (key == INDEX_NONE)
            continue; // a key that no constraint mentions
        WITH_MASK(builder, key, mask);
        universe_requirement_mask(universe, key, &requirements->items[i], mask);
        label_set_and_mask(builder, key, mask);
    }
}

// Drops keys of which every atom is allowed and sorts the rest.
static void tidy_keys(LabelSetBuilder *builder) {
    U32Vec *keys = &builder->keys;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < keys->count; i++) {
        const LabelKey *key = &builder->universe->keys.items[keys->items[i]];

        if (bitset_count(builder->row + key->first_word, key->words) < key->atoms)
            keys->items[kept++] = keys->items[i];
    }
    keys->count = kept;
    if (kept)
        qsort(keys->items, kept, sizeof *keys->items, u32_compare);
}

static uint64_t builder_hash(const LabelSetBuilder *builder) {
    uint64_t hash = 0;

    for (vec_each(const uint32_t, key, &builder->keys)) {
        const LabelKey *label_key = &builder->universe->keys.items[*key];

        hash = hash_combine(hash, *key + 1);
        for (uint32_t i = 0; i < label_key->words; i++)
            hash = hash_combine(hash, builder->row[label_key->first_word + i]);
    }
    return hash;
}

static bool builder_equals(const LabelSetBuilder *builder, const LabelSet *set) {
    if (set->count != builder->keys.count)
        return false;
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t key = builder->keys.items[i];

        if (set->keys[i] != key || !bitset_eq(set->masks[i], row_key(builder->universe, builder->row, key),
                                              builder->universe->keys.items[key].words))
            return false;
    }
    return true;
}

static LabelSet builder_to_set(const LabelSetBuilder *builder) {
    Universe *universe = builder->universe;
    LabelSet set = {.count = builder->keys.count};

    set.keys = arena_array(universe->arena, uint32_t, set.count);
    set.masks = arena_array(universe->arena, uint64_t *, set.count);
    for (uint32_t i = 0; i < set.count; i++) {
        uint32_t key = builder->keys.items[i], words = universe->keys.items[key].words;

        set.keys[i] = key;
        set.masks[i] = arena_copy(universe->arena, row_key(universe, builder->row, key), words * sizeof(uint64_t));
        set.impossible |= bitset_is_empty(set.masks[i], words);
    }
    return set;
}

LabelSetId label_set_finish(LabelSetBuilder *builder) {
    Universe *universe = builder->universe;
    uint64_t hash;
    uint32_t cursor = 0, found;

    tidy_keys(builder);
    hash = builder_hash(builder);
    while ((found = index_map_next(&universe->set_index, hash, &cursor)) != INDEX_NONE) {
        if (builder_equals(builder, &universe->sets.items[found]))
            return found;
    }
    found = universe->sets.count;
    vec_push(universe->arena, &universe->sets, builder_to_set(builder));
    index_map_add(universe->arena, &universe->set_index, hash, found);
    return found;
}

const uint64_t *label_set_mask(const LabelSet *set, uint32_t key) {
    uint32_t low = 0, high = set->count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (set->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->count && set->keys[low] == key ? set->masks[low] : NULL;
}

bool row_narrow(const Universe *universe, uint64_t *row, const LabelSet *set) {
    for (uint32_t i = 0; i < set->count; i++) {
        if (!bitset_and(row_key(universe, row, set->keys[i]), set->masks[i], universe->keys.items[set->keys[i]].words))
            return false;
    }
    return true;
}

bool row_within(const Universe *universe, const uint64_t *row, const LabelSet *set) {
    for (uint32_t i = 0; i < set->count; i++) {
        const LabelKey *key = &universe->keys.items[set->keys[i]];

        if (!bitset_is_subset(row + key->first_word, set->masks[i], key->words))
            return false;
    }
    return true;
}

bool row_meets(const Universe *universe, const uint64_t *row, const LabelSet *set) {
    for (uint32_t i = 0; i < set->count; i++) {
        const LabelKey *key = &universe->keys.items[set->keys[i]];

        if (!bitset_intersects(row + key->first_word, set->masks[i], key->words))
            return false;
    }
    return true;
}
