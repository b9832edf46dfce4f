// Makes claim specs: requirements from bits, types by price, labels.
#include "sched/claim_spec.h"

#include "base/numbers.h"
#include "sched/bin/claim_price.h"
#include "sched/bin/claim_types.h"

#include <stdlib.h>

enum { MAX_INSTANCE_TYPES = 600 };

// --- requirements from bits

// Sets the integer bounds of a requirement from the lowest and highest interval atom of a mask.
static void mask_bounds(const LabelKey *key, const uint64_t *mask, Requirement *requirement) {
    uint32_t first = key->cut_count + 1, last = 0;

    for (uint32_t i = 0; i <= key->cut_count; i++) {
        if (!bitset_has(mask, key->interval + i))
            continue;
        if (first > i)
            first = i;
        last = i;
    }
    if (first > key->cut_count)
        return;
    requirement->has_gte = first > 0;
    requirement->has_lte = last < key->cut_count;
    if (requirement->has_gte)
        requirement->gte = key->cuts[first - 1];
    if (requirement->has_lte)
        requirement->lte = key->cuts[last] - 1;
}

static bool value_in_bounds(const Symbols *symbols, const Requirement *requirement, Symbol value) {
    int64_t number;

    if (!requirement->has_gte && !requirement->has_lte)
        return true;
    return slice_to_int64(symbol_text(symbols, value), &number) &&
           (!requirement->has_gte || number >= requirement->gte) &&
           (!requirement->has_lte || number <= requirement->lte);
}

// The requirement that is equal to a mask in the universe's partition of values.
static Requirement requirement_from_mask(Arena *arena, const Universe *universe, const LabelKey *key,
                                         const uint64_t *mask) {
    Requirement requirement = {.key = key->key};

    for (uint32_t atom = key->interval; atom <= key->other; atom++)
        requirement.complement |= bitset_has(mask, atom);
    if (requirement.complement && !bitset_has(mask, key->other))
        mask_bounds(key, mask, &requirement);
    for (uint32_t i = 0; i < key->value_count; i++) {
        if (bitset_has(mask, i) != requirement.complement &&
            (!requirement.complement || value_in_bounds(universe->symbols, &requirement, key->values[i])))
            vec_push(arena, &requirement.values, key->values[i]);
    }
    if (requirement.values.count)
        qsort(requirement.values.items, requirement.values.count, sizeof(Symbol), u32_compare);
    return requirement;
}

// The claim's requirements on labels: keys that its pool defines, and those that its pods or topology rules narrowed.
static Requirements label_requirements(Solver *solver, const Bin *bin) {
    const Universe *universe = &solver->universe;
    const uint64_t *row = label_state_at(&solver->states, bin->state)->row;
    Requirements requirements = {0};

    for (uint32_t i = 0; i < universe->keys.count; i++) {
        const LabelKey *key = &universe->keys.items[i];
        const Requirement *defined = requirements_get(&bin->pool->requirements, key->key);
        const uint64_t *mask = row + key->first_word;
        Requirement requirement;

        if (key->key == NAME_HOSTNAME || key->key == NAME_REGISTERED || key->key == NAME_INITIALIZED ||
            (!defined && bitset_eq(mask, bin->pool->template_row + key->first_word, key->words)))
            continue;
        requirement = requirement_from_mask(solver->result, universe, key, mask);
        if (defined)
            requirement.min_values = defined->min_values;
        requirements_add(solver->result, universe->symbols, &requirements, &requirement);
    }
    for (uint32_t i = 0; i < bin->pool->min_values.count && bin->min_values; i++) { // lowered under best effort
        for (uint32_t j = 0; j < requirements.count; j++) {
            if (requirements.items[j].key == bin->pool->min_values.items[i].key)
                requirements.items[j].min_values = bin->min_values[i];
        }
    }
    return requirements;
}

// --- types

// Keeps the cheapest rows, and for minValues also more expensive ones with values that the cheap ones lack.
static void keep_rows(Solver *solver, const Bin *bin, const U32Vec *rows, uint64_t *ret_kept) {
    uint32_t most = solver->input->max_instance_types ? solver->input->max_instance_types : MAX_INSTANCE_TYPES;
    uint32_t kept = rows->count < most ? rows->count : most;

    for (uint32_t i = 0; i < kept; i++)
        bitset_set(ret_kept, rows->items[i]);
    for (uint32_t i = kept, last = kept; i < rows->count && last > 0; i++) {
        if (claim_min_values_met(solver, bin, bin->state, ret_kept))
            break;
        bitset_clear(ret_kept, rows->items[--last]);
        bitset_set(ret_kept, rows->items[i]);
    }
}

// Extends the kept rows to all rows of their types that the claim has.
static void keep_whole_types(const TypeTable *table, const U32Vec *rows, const uint64_t *types, uint64_t *ret_kept) {
    for (vec_each(uint32_t, row, rows)) {
        if (bitset_has(types, table->rows[*row].type_index))
            bitset_set(ret_kept, *row);
    }
}

// The claim's rows, cheapest first.
static U32Vec listed_rows(Solver *solver, Arena *scratch, const Bin *bin) {
    const LaunchList *list = claim_launch_order(solver, bin->pool, bin->state)->list;
    U32Vec rows = {.items = arena_array(scratch, uint32_t, list->count)};

    for (uint32_t i = 0; i < list->count; i++) {
        if (bitset_has(bin->rows, list->listed[i]))
            rows.items[rows.count++] = list->listed[i];
    }
    return rows;
}

// Fills spec->rows and spec->types.
static void write_types(Solver *solver, const Bin *bin, ClaimSpec *spec) {
    Arena scratch = {0};
    const TypeTable *table = bin->pool->table;
    U32Vec rows = listed_rows(solver, &scratch, bin);
    uint64_t *seen = bitset_new(&scratch, table->types->count);

    spec->rows = arena_array(solver->arena, uint64_t, table->words);
    keep_rows(solver, bin, &rows, spec->rows);
    spec->types.items = arena_array(solver->result, const InstanceType *, bitset_count(spec->rows, table->words));
    for (vec_each(uint32_t, row, &rows)) {
        const TypeRow *type_row = &table->rows[*row];

        if (!bitset_has(spec->rows, *row) || bitset_has(seen, type_row->type_index))
            continue;
        bitset_set(seen, type_row->type_index);
        spec->types.items[spec->types.count++] = type_row->type;
    }
    keep_whole_types(table, &rows, seen, spec->rows);
    arena_free(&scratch);
}

// The capacity types that some row can be launched as, as bits of `kinds`.
static uint32_t launchable_kinds(const Bin *bin, const LabelState *state, const uint64_t *rows, const Symbol *kinds) {
    uint32_t found = 0;

    for (bitset_each(row, rows, bin->pool->table->words)) {
        for (vec_each(const RowOffering, option, &bin->pool->table->rows[row].offerings)) {
            for (uint32_t i = 0; i < 3; i++) {
                if (option->offering->capacity_type == kinds[i] && bitset_has(state->shapes, option->shape))
                    found |= 1U << i;
            }
        }
    }
    return found;
}

// instance-type In [names], capacity-type In [those that can be launched]. scheduling.md 6.1.
static void narrow_to_types(Solver *solver, const Bin *bin, ClaimSpec *spec) {
    static const Symbol kinds[] = {NAME_ON_DEMAND, NAME_SPOT, NAME_RESERVED};
    const Symbols *symbols = solver->universe.symbols;
    Requirement names = {.key = NAME_INSTANCE_TYPE}, capacity = {.key = NAME_CAPACITY_TYPE};
    uint32_t found = launchable_kinds(bin, label_state_at(&solver->states, bin->state), spec->rows, kinds);

    names.values.items = arena_array(solver->result, Symbol, spec->types.count);
    for (uint32_t i = 0; i < spec->types.count; i++)
        names.values.items[names.values.count++] = spec->types.items[i]->name;
    if (names.values.count)
        qsort(names.values.items, names.values.count, sizeof(Symbol), u32_compare);
    requirements_add(solver->result, symbols, &spec->requirements, &names);
    for (uint32_t i = 0; i < 3; i++) {
        if (found >> i & 1)
            vec_push(solver->result, &capacity.values, kinds[i]);
    }
    requirements_add(solver->result, symbols, &spec->requirements, &capacity);
}

static void find_least_overhead(Solver *solver, const Bin *bin, ClaimSpec *spec) {
    const Room *room = bin->pool->room;

    spec->overhead = arena_array(solver->arena, int64_t, room->dims);
    for (uint32_t dim = 0; dim < room->dims; dim++) {
        int64_t least = INT64_MAX;

        for (bitset_each(row, spec->rows, bin->pool->table->words)) {
            if (room->overhead[(size_t)row * room->dims + dim] < least)
                least = room->overhead[(size_t)row * room->dims + dim];
        }
        spec->overhead[dim] = least == INT64_MAX ? 0 : least;
    }
}

// --- labels

// A value for a label that the claim may choose: the first listed one, else the smallest allowed integer that no pod
// excludes.
static Symbol any_value(Solver *solver, uint32_t key, const Requirement *requirement) {
    Arena scratch = {0};
    int64_t number = requirement->has_gte                           ? requirement->gte
                     : requirement->has_lte && requirement->lte < 0 ? requirement->lte
                                                                    : 0;
    Symbol symbol = NAME_EMPTY;

    if (!requirement->complement) {
        symbol = requirement->values.items[0];
        for (vec_each(Symbol, value, &requirement->values)) {
            if (symbol_cmp(solver->universe.symbols, *value, symbol) < 0)
                symbol = *value;
        }
        return symbol;
    }
    do {
        symbol = symbol_intern(solver->universe.symbols, arena_printf(&scratch, "%lld", (long long)number++));
    } while (!requirement_has(solver->universe.symbols, requirement, symbol) ||
             universe_is_excluded(&solver->universe, key, symbol));
    arena_free(&scratch);
    return symbol;
}

// The template's labels, and one value for each custom label that the pool defines (Q17: users rely on it).
static void write_labels(Solver *solver, const Bin *bin, ClaimSpec *claim) {
    const Universe *universe = &solver->universe;

    for (uint32_t i = 0; i < bin->pool->labels.count; i++)
        labels_set(solver->result, &claim->labels, bin->pool->labels.items[i].key, bin->pool->labels.items[i].value);
    for (uint32_t i = 0; i < claim->requirements.count; i++) {
        const Requirement *requirement = &claim->requirements.items[i];
        uint32_t key = universe_key(universe, requirement->key);
        const uint64_t *mask;

        if (key == INDEX_NONE || pool_knows_key(bin->pool, universe, key) ||
            labels_get(&claim->labels, requirement->key) != INDEX_NONE)
            continue;
        mask = label_state_key(&solver->states, bin->state, key);
        if (!bitset_has(mask, universe->keys.items[key].absent))
            labels_set(solver->result, &claim->labels, requirement->key, any_value(solver, key, requirement));
    }
}

// --- sharing

// The claim with the restrictions that make every launch hold its pods (bin/claim_types.h).
static Bin tied_claim(Solver *solver, const Bin *bin) {
    Bin tied = *bin;

    tied.rows = arena_array(solver->arena, uint64_t, bin->pool->table->words);
    (void)claim_tie(solver, bin, bin->state, bin->rows, &tied.state, tied.rows);
    return tied;
}

static ClaimSpec *spec_make(Solver *solver, const Bin *untied) {
    ClaimSpec *spec = arena_new(solver->arena, ClaimSpec);
    Bin tied = tied_claim(solver, untied), *bin = &tied;
    const LaunchOption *launch;

    spec->pool = bin->pool;
    spec->from_state = untied->state;
    spec->from_rows = untied->rows;
    spec->requirements = label_requirements(solver, bin);
    write_types(solver, bin, spec);
    launch = launch_order_choice(claim_launch_order(solver, bin->pool, bin->state), spec->rows);
    CHECK(launch, "a claim that nothing can be launched for");
    spec->launch = *launch;
    narrow_to_types(solver, bin, spec);
    find_least_overhead(solver, bin, spec);
    write_labels(solver, bin, spec);
    return spec;
}

const ClaimSpec *claim_spec(Solver *solver, ClaimSpecs *specs, const Bin *bin) {
    uint32_t cursor = 0, found, words = bin->pool->table->words;
    uint64_t hash = hash_combine(slice_hash((Slice){(const char *)bin->rows, words * sizeof *bin->rows}),
                                 (uint64_t)bin->pool->number << 32 | bin->state);
    ClaimSpec *spec;

    if (bin->min_values) // lowered for this claim alone
        return spec_make(solver, bin);
    while ((found = index_map_next(&specs->index, hash, &cursor)) != INDEX_NONE) {
        spec = specs->specs.items[found];
        if (spec->pool == bin->pool && spec->from_state == bin->state && bitset_eq(spec->from_rows, bin->rows, words))
            return spec;
    }
    spec = spec_make(solver, bin);
    index_map_add(solver->arena, &specs->index, hash, specs->specs.count);
    vec_push(solver->arena, &specs->specs, spec);
    return spec;
}
