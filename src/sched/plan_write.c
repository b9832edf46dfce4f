// From bins to the plan: requirements back from bits, types by price, requests, labels.
#include "sched/solver.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_INSTANCE_TYPES = 600 };

// --- requirements from bits -----------------------------------------------------------------------------------------

// The integer bounds of the interval atoms in a mask: lowest and highest interval set.
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

static int compare_numbers(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

// The requirement that a mask stands for. In the universe's partition this is exact.
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
        qsort(requirement.values.items, requirement.values.count, sizeof(Symbol), compare_numbers);
    return requirement;
}

// What the claim requires: keys that its pool defines, and those that its pods or their topology narrowed.
static Requirements claim_requirements(Solver *solver, const Bin *bin) {
    const Universe *universe = &solver->universe;
    const uint64_t *row = state_at(&solver->states, bin->state)->row;
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

// --- types ----------------------------------------------------------------------------------------------------------

typedef struct {
    double price;
    uint32_t row;
    Slice name;
} PricedRow;

static int compare_prices(const void *a, const void *b) {
    const PricedRow *x = a, *y = b;

    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    return slice_cmp(x->name, y->name);
}

// The lowest price of a row, whatever the capacity type: the order of the list. scheduling.md 3.4.
static double row_price(const Solver *solver, const Bin *bin, uint32_t row) {
    const TypeTable *table = bin->pool->table;
    double best = INFINITY;

    for (vec_each(Offering, offering, &table->rows[row].type->offerings)) {
        if (offering->price_per_hour < best && claim_takes(solver, bin, &table->rows[row], offering))
            best = offering->price_per_hour;
    }
    return best;
}

static PricedRow *price_rows(Solver *solver, Arena *scratch, const Bin *bin, uint32_t *ret_count) {
    const TypeTable *table = bin->pool->table;
    PricedRow *rows = arena_array(scratch, PricedRow, table->row_count);
    uint32_t count = 0;

    for (bitset_each(row, bin->rows, table->words))
        rows[count++] = (PricedRow){row_price(solver, bin, row), row,
                                    symbol_text(solver->universe.symbols, table->rows[row].type->name)};
    qsort(rows, count, sizeof *rows, compare_prices);
    *ret_count = count;
    return rows;
}

// Keeps the cheapest rows, and for minValues those further on that bring values which the cheap ones lack.
static void keep_rows(const Solver *solver, const Bin *bin, PricedRow *rows, uint32_t count, uint32_t most,
                      uint64_t *ret_kept) {
    uint32_t kept = count < most ? count : most;

    for (uint32_t i = 0; i < kept; i++)
        bitset_set(ret_kept, rows[i].row);
    for (uint32_t i = kept, last = kept; i < count && last > 0; i++) {
        if (claim_min_values_met(solver, bin, bin->state, ret_kept))
            break;
        bitset_clear(ret_kept, rows[--last].row);
        bitset_set(ret_kept, rows[i].row);
    }
}

static void write_types(Solver *solver, Bin *bin, PlannedClaim *claim) {
    Arena scratch = {0};
    uint32_t count, most = solver->input->max_instance_types ? solver->input->max_instance_types : MAX_INSTANCE_TYPES;
    PricedRow *rows = price_rows(solver, &scratch, bin, &count);
    uint64_t *kept = arena_array(&scratch, uint64_t, bin->pool->table->words);
    uint64_t *seen = bitset_new(&scratch, bin->pool->table->types->count);

    keep_rows(solver, bin, rows, count, most, kept);
    for (uint32_t i = 0; i < count; i++) {
        const TypeRow *row = &bin->pool->table->rows[rows[i].row];

        if (!bitset_has(kept, rows[i].row) || bitset_has(seen, row->type_index))
            continue;
        bitset_set(seen, row->type_index);
        vec_push(solver->result, &claim->types, row->type);
    }
    bitset_copy(bin->rows, kept, bin->pool->table->words);
    arena_free(&scratch);
}

// instance-type In [names], capacity-type In [those that can be launched]. scheduling.md 6.1.
static void narrow_to_types(Solver *solver, const Bin *bin, PlannedClaim *claim) {
    const Symbols *symbols = solver->universe.symbols;
    Requirement names = {.key = NAME_INSTANCE_TYPE}, capacity = {.key = NAME_CAPACITY_TYPE};
    static const Symbol kinds[] = {NAME_ON_DEMAND, NAME_SPOT, NAME_RESERVED};
    bool found[3] = {false};

    for (vec_each(const InstanceType *, type, &claim->types))
        vec_push(solver->result, &names.values, (*type)->name);
    if (names.values.count)
        qsort(names.values.items, names.values.count, sizeof(Symbol), compare_numbers);
    requirements_add(solver->result, symbols, &claim->requirements, &names);
    for (bitset_each(row, bin->rows, bin->pool->table->words)) {
        const TypeRow *type_row = &bin->pool->table->rows[row];

        for (vec_each(Offering, offering, &type_row->type->offerings)) {
            for (int i = 0; i < 3; i++)
                found[i] |= offering->capacity_type == kinds[i] && claim_takes(solver, bin, type_row, offering);
        }
    }
    for (int i = 0; i < 3; i++) {
        if (found[i])
            vec_push(solver->result, &capacity.values, kinds[i]);
    }
    requirements_add(solver->result, symbols, &claim->requirements, &capacity);
}

// --- requests and labels --------------------------------------------------------------------------------------------

static void add_daemon_overhead(Solver *solver, const Bin *bin, Resources *requests) {
    const Dimensions *dimensions = &solver->classes.dimensions;
    const Room *room = bin->pool->room;

    for (uint32_t dim = 0; dim < dimensions->count; dim++) {
        Resources least = {0};
        int64_t amount = INT64_MAX;

        for (bitset_each(row, bin->rows, bin->pool->table->words)) {
            if (room->overhead[(size_t)row * room->dims + dim] < amount)
                amount = room->overhead[(size_t)row * room->dims + dim];
        }
        if (amount == INT64_MAX || amount == 0 || dimensions->resources[dim] == NAME_EMPTY)
            continue;
        resources_set(solver->result, &least, dimensions->resources[dim], amount);
        resources_add(solver->result, requests, &least);
    }
}

static void write_requests(Solver *solver, const Bin *bin, Resources *ret_requests) {
    for (vec_each(BinPods, pods, &bin->pods)) {
        Resources sum = resources_copy(solver->result, &solver->classes.classes.items[pods->class].request_list);

        for (uint32_t i = 0; i < sum.count; i++)
            sum.items[i].amount *= pods->count;
        resources_add(solver->result, ret_requests, &sum);
    }
    add_daemon_overhead(solver, bin, ret_requests);
}

// A value for a label that the claim may choose itself: the first listed one, else the smallest integer allowed.
static Symbol any_value(Solver *solver, const Requirement *requirement) {
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
    } while (!requirement_has(solver->universe.symbols, requirement, symbol));
    arena_free(&scratch);
    return symbol;
}

// Template labels, and one value for each custom label that the pool defines (Q17: users rely on it).
static void write_labels(Solver *solver, const Bin *bin, PlannedClaim *claim) {
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
        mask = state_key(&solver->states, bin->state, key);
        if (!bitset_has(mask, universe->keys.items[key].absent))
            labels_set(solver->result, &claim->labels, requirement->key, any_value(solver, requirement));
    }
}

// --- the plan -------------------------------------------------------------------------------------------------------

// Hands out the next pods of a class.
static void take_pods(Solver *solver, uint32_t *cursors, const Bin *bin, U32Vec *ret_pods) {
    for (vec_each(BinPods, pods, &bin->pods)) {
        const PodClass *class = &solver->classes.classes.items[pods->class];

        for (uint32_t i = 0; i < pods->count; i++)
            vec_push(solver->result, ret_pods, solver->classes.pods[class->first + cursors[pods->class]++]);
    }
    if (ret_pods->count)
        qsort(ret_pods->items, ret_pods->count, sizeof *ret_pods->items, compare_numbers);
}

static void write_claim(Solver *solver, Bin *bin, uint32_t *cursors, uint32_t number, PlannedClaim *claim) {
    uint32_t row = 0;

    *claim = (PlannedClaim){.pool = bin->pool->pool, .min_values_relaxed = bin->min_values_relaxed};
    claim->name = arena_printf(solver->result, "%.*s-%u",
                               SLICE_ARG(symbol_text(solver->universe.symbols, bin->pool->pool->meta.name)), number);
    claim->requirements = claim_requirements(solver, bin);
    write_types(solver, bin, claim);
    narrow_to_types(solver, bin, claim);
    claim_price(solver, bin, bin->rows, &row, &claim->offering);
    claim->choice = bin->pool->table->rows[row].type;
    write_requests(solver, bin, &claim->requests);
    write_labels(solver, bin, claim);
    take_pods(solver, cursors, bin, &claim->pods);
}

static void write_unplaced(Solver *solver, Plan *plan) {
    for (uint32_t i = 0; i < solver->input->pending.count; i++) {
        const PendingPod *pending = &solver->input->pending.items[i];

        if (!slice_is_empty(pending->ignored))
            vec_push(solver->result, &plan->unplaced,
                     (UnplacedPod){
                         .pod = i,
                         .message = arena_printf(solver->result, "ignoring pod, %.*s", SLICE_ARG(pending->ignored))});
    }
    for (vec_each(PodClass, class, &solver->classes.classes)) {
        UnplacedPod unplaced = {0};

        if (class->placed == class->count)
            continue;
        solver_explain(solver, class, &unplaced.reasons, &unplaced.message);
        for (uint32_t i = class->placed; i < class->count; i++) {
            unplaced.pod = solver->classes.pods[class->first + i];
            vec_push(solver->result, &plan->unplaced, unplaced);
        }
    }
}

static int compare_unplaced(const void *a, const void *b) {
    return compare_numbers(&((const UnplacedPod *)a)->pod, &((const UnplacedPod *)b)->pod);
}

void solver_write_plan(Solver *solver, Plan *ret_plan) {
    uint32_t *cursors = arena_array(solver->arena, uint32_t, solver->classes.classes.count);
    uint32_t *numbers = arena_array(solver->arena, uint32_t, solver->pools.count);
    Plan plan = {.class_count = solver->classes.classes.count, .floor_per_hour = NAN};

    for (uint32_t i = 0; i < solver->bins.count; i++) {
        Bin *bin = &solver->bins.items[i];

        if (bin->pool) {
            PlannedClaim *claim = vec_add(solver->result, &plan.claims);

            write_claim(solver, bin, cursors, ++numbers[bin->pool->number], claim);
            plan.price_per_hour += claim->offering->price_per_hour;
        } else if (bin->pods.count) {
            PlannedNode *node = vec_add(solver->result, &plan.nodes);

            node->node = bin->node;
            take_pods(solver, cursors, bin, &node->pods);
        }
    }
    write_unplaced(solver, &plan);
    if (plan.unplaced.count)
        qsort(plan.unplaced.items, plan.unplaced.count, sizeof *plan.unplaced.items, compare_unplaced);
    for (vec_each(Pool, pool, &solver->pools)) {
        if (pool->table->types->count > plan.type_count)
            plan.type_count = pool->table->types->count;
    }
    *ret_plan = plan;
}
