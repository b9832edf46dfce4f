// The kinds of nodes that pools can create.
//
// A claim becomes a row of its pool's types that holds all its pods, at the price of an offering that the labels of all
// of them allow. So a kind is a row with the offerings that the same pods may use, at the lowest of their prices: no
// plan pays less for those pods. All variants of a class count at once, and limits of pools, minValues, weights and
// domains of topology rules are ignored, which keeps the packing a relaxation.
#include "sched/packing/pack_pools.h"

#include <math.h>

// Offering shapes of a pool that the same signatures may use.
typedef struct {
    const OfferingShape *reservation; // the only shape, if it is reserved
    uint64_t *signatures;
} ShapeGroup;

typedef struct {
    PackBuilder *builder;
    const Pool *pool;
    Vec(ShapeGroup) groups;
    uint32_t *group_of; // per shape
    uint32_t *kinds;    // [group * row_count + row], INDEX_NONE: none
} PoolKinds;

// `class`, `state`: NULL if pods of the signature may go anywhere.
typedef void Visit(PoolKinds *kinds, uint32_t signature, const PodClass *class, const LabelState *state, void *context);

// Visits the label states of claims of the pool with pods of the signature that are of a class, starting from state
// `base`.
static void each_state(PoolKinds *kinds, uint32_t signature, const PodClass *class, uint32_t base, Visit *visit,
                       void *context) {
    Solver *solver = kinds->builder->solver;

    base = base == LABEL_STATE_NONE
               ? base
               : label_state_step(&solver->states, base, kinds->builder->signatures.items[signature].within);
    if (base == LABEL_STATE_NONE)
        return;
    for (vec_each(Variant, variant, &class->variants)) {
        uint32_t state, alternatives = class->volume_alternatives.count;

        if (!bitset_has(solver->tolerated_pools + (size_t)variant->tolerations * solver->pool_words,
                        kinds->pool->number))
            continue;
        state = label_state_step(&solver->states, base, variant->labels);
        for (uint32_t i = 0; state != LABEL_STATE_NONE && i < (alternatives ? alternatives : 1); i++) {
            uint32_t next =
                alternatives ? label_state_step(&solver->states, state, class->volume_alternatives.items[i]) : state;

            if (next != LABEL_STATE_NONE)
                visit(kinds, signature, class, label_state_at(&solver->states, next), context);
        }
    }
}

// The same for all states in which a claim of the pool may start.
static void each_start_of(PoolKinds *kinds, uint32_t signature, const PodClass *class, Visit *visit, void *context) {
    const TypeTable *table = kinds->pool->table;

    each_state(kinds, signature, class, kinds->pool->open_state, visit, context);
    for (uint32_t shape = 0; shape < table->shape_count; shape++) {
        uint32_t base;

        if (table->shapes[shape].capacity_type != NAME_RESERVED)
            continue;
        base = label_state_step(&kinds->builder->solver->states, kinds->pool->full_state, table->shapes[shape].set);
        each_state(kinds, signature, class, base, visit, context);
    }
}

// The same for all classes of the signature; once with no class for one that may go anywhere.
static void each_start(PoolKinds *kinds, uint32_t number, Visit *visit, void *context) {
    const Signature *signature = &kinds->builder->signatures.items[number];

    if (!signature->classes.count)
        visit(kinds, number, NULL, NULL, context);
    for (vec_each(const PodClass *const, class, &signature->classes))
        each_start_of(kinds, number, *class, visit, context);
}

// --- groups of shapes

static void mark_shapes(PoolKinds *kinds, uint32_t signature, const PodClass *class, const LabelState *state,
                        void *context) {
    uint64_t *users = context; // [shape * signature_words]
    const TypeTable *table = kinds->pool->table;

    (void)class;
    for (uint32_t shape = 0; shape < table->shape_count; shape++) {
        if (!state || bitset_has(state->shapes, shape))
            bitset_set(users + (size_t)shape * kinds->builder->signature_words, signature);
    }
}

static uint32_t shape_group(PoolKinds *kinds, const OfferingShape *shape, const uint64_t *users) {
    PackBuilder *builder = kinds->builder;
    bool reserved = shape->capacity_type == NAME_RESERVED;

    for (uint32_t i = 0; i < kinds->groups.count && !reserved; i++) {
        const ShapeGroup *group = &kinds->groups.items[i];

        if (!group->reservation && bitset_eq(group->signatures, users, builder->signature_words))
            return i;
    }
    vec_push(
        &builder->scratch, &kinds->groups,
        (ShapeGroup){.reservation = reserved ? shape : NULL,
                     .signatures = arena_copy(&builder->scratch, users, builder->signature_words * sizeof *users)});
    return kinds->groups.count - 1;
}

static void make_groups(PoolKinds *kinds) {
    PackBuilder *builder = kinds->builder;
    const TypeTable *table = kinds->pool->table;
    uint64_t *users = arena_array(&builder->scratch, uint64_t, (size_t)table->shape_count * builder->signature_words);

    for (uint32_t signature = 0; signature < builder->signatures.count; signature++)
        each_start(kinds, signature, mark_shapes, users);
    kinds->group_of = arena_array(&builder->scratch, uint32_t, table->shape_count);
    for (uint32_t shape = 0; shape < table->shape_count; shape++)
        kinds->group_of[shape] =
            shape_group(kinds, &table->shapes[shape], users + (size_t)shape * builder->signature_words);
}

// --- kinds

static uint32_t reservation_supply(PackBuilder *builder, uint32_t *supplies, const OfferingShape *shape) {
    const Solver *solver = builder->solver;

    for (uint32_t i = 0; i < solver->reservations.count; i++) {
        const Reservation *reservation = &solver->reservations.items[i];
        double count = (double)reservation->left;

        if (reservation->id != shape->reservation_id)
            continue;
        if (supplies[i] != INDEX_NONE)
            return supplies[i];
        for (vec_each(Bin, bin, &solver->bins)) // instances that claims of the plan have taken
            count += bin->reservation && bin->reservation->reservation_id == reservation->id;
        vec_push(builder->packing->arena, &builder->packing->supplies, count);
        return supplies[i] = builder->packing->supplies.count - 1;
    }
    return INDEX_NONE;
}

// The free room of a row; 0 where daemons alone need more than there is.
static void fill_room(const PackBuilder *builder, const Room *room, uint32_t row, int64_t *ret_room) {
    const Packing *packing = builder->packing;
    const int64_t *free = room->free + (size_t)row * room->dims;

    for (uint32_t dim = 0; dim < packing->resources; dim++) {
        int64_t amount = free[packing->resource_of[dim]];

        ret_room[dim] = amount > 0 ? amount : 0;
    }
    for (uint32_t dim = packing->resources; dim < packing->dims; dim++)
        ret_room[dim] = builder->groups.items[dim - packing->resources].most;
}

static void add_kind(PoolKinds *kinds, uint32_t *supplies, uint32_t group_number, uint32_t row, double price) {
    PackBuilder *builder = kinds->builder;
    const ShapeGroup *group = &kinds->groups.items[group_number];
    PackKind kind = {.price = price, .pool = kinds->pool->number, .row = row, .supply = INDEX_NONE};

    kind.room = arena_array(builder->packing->arena, int64_t, builder->packing->dims);
    fill_room(builder, kinds->pool->room, row, kind.room);
    if (group->reservation)
        kind.supply = reservation_supply(builder, supplies, group->reservation);
    kind.families = arena_array(&builder->scratch, uint64_t, builder->signature_words);
    kinds->kinds[(size_t)group_number * kinds->pool->table->row_count + row] = builder->packing->kinds.count;
    vec_push(builder->packing->arena, &builder->packing->kinds, kind);
}

// Adds the kinds of one row: one per group of shapes that it has offerings of.
static void add_row(PoolKinds *kinds, uint32_t *supplies, uint32_t row, double *prices) {
    const TypeRow *type_row = &kinds->pool->table->rows[row];

    for (uint32_t group = 0; group < kinds->groups.count; group++)
        prices[group] = INFINITY;
    for (vec_each(RowOffering, offering, &type_row->offerings)) {
        double *price = &prices[kinds->group_of[offering->shape]];

        if (offering->offering->price_per_hour < *price)
            *price = offering->offering->price_per_hour;
    }
    for (uint32_t group = 0; group < kinds->groups.count; group++) {
        kinds->kinds[(size_t)group * kinds->pool->table->row_count + row] = INDEX_NONE;
        if (prices[group] < INFINITY &&
            !bitset_is_empty(kinds->groups.items[group].signatures, kinds->builder->signature_words))
            add_kind(kinds, supplies, group, row, prices[group]);
    }
}

static void mark_row(PoolKinds *kinds, uint32_t group, uint32_t row, uint32_t signature) {
    uint32_t kind = kinds->kinds[(size_t)group * kinds->pool->table->row_count + row];

    if (kind != INDEX_NONE)
        bitset_set(kinds->builder->packing->kinds.items[kind].families, signature);
}

static void mark_kinds(PoolKinds *kinds, uint32_t signature, const PodClass *class, const LabelState *state,
                       void *context) {
    PackBuilder *builder = kinds->builder;
    const TypeTable *table = kinds->pool->table;
    uint64_t *rows = bitset_new(&builder->scratch, table->row_count);
    bool *seen = arena_array(&builder->scratch, bool, kinds->groups.count);

    (void)context;
    if (state) {
        bitset_copy(rows, state->rows, table->words);
        pool_drop_port_conflicts(kinds->pool, class->ports, rows);
    } else {
        bitset_fill(rows, table->row_count);
    }
    for (uint32_t shape = 0; shape < table->shape_count; shape++) {
        uint32_t group = kinds->group_of[shape];

        if (seen[group] || (state && !bitset_has(state->shapes, shape)))
            continue;
        seen[group] = true;
        for (bitset_each(row, rows, table->words))
            mark_row(kinds, group, row, signature);
    }
}

static void add_pool(PackBuilder *builder, const Pool *pool, uint32_t *supplies) {
    PoolKinds kinds = {.builder = builder, .pool = pool};
    const TypeTable *table = pool->table;
    double *prices;

    make_groups(&kinds);
    kinds.kinds = arena_array(&builder->scratch, uint32_t, (size_t)kinds.groups.count * table->row_count);
    prices = arena_array(&builder->scratch, double, kinds.groups.count);
    for (uint32_t row = 0; row < table->row_count; row++)
        add_row(&kinds, supplies, row, prices);
    for (uint32_t signature = 0; signature < builder->signatures.count; signature++)
        each_start(&kinds, signature, mark_kinds, NULL);
}

void pack_add_pools(PackBuilder *builder) {
    uint32_t count = builder->solver->reservations.count;
    uint32_t *supplies = arena_array(&builder->scratch, uint32_t, count);

    for (uint32_t i = 0; i < count; i++)
        supplies[i] = INDEX_NONE;
    for (vec_each(Pool, pool, &builder->solver->pools))
        add_pool(builder, pool, supplies);
}
