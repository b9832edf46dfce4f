// A claim is an instance type with one of its offerings in one cell. Existing nodes that are equal are one kind.
#include "sched/contents/places.h"

#include "sched/contents/cells.h"
#include "sched/contents/homes.h"

#include <stdlib.h>

// --- claims

typedef struct {
    SmallProblem *problem;
    Pool *pool;
    uint32_t cell;
    uint32_t *first;     // per row: its first offering in `takers`
    uint32_t *takers;    // per offering of the rows: items that may be launched as it
    uint32_t *supply_of; // per reservation: its supply
    SmallPlaceVec fresh; // claims of the present pool and cell
} Claiming;

static void mark_state(Claiming *claiming, uint32_t item, uint32_t number) {
    Solver *solver = claiming->problem->solver;
    const TypeTable *table = claiming->pool->table;
    const LabelState *state = label_state_at(&solver->states, number);
    uint64_t *rows = solver->fresh_rows;

    bitset_copy(rows, state->rows, table->words);
    pool_drop_port_conflicts(claiming->pool, small_class(claiming->problem, item)->ports, rows);
    for (bitset_each(row, rows, table->words)) {
        const RowOfferingVec *offerings = &table->rows[row].offerings;

        for (uint32_t i = 0; i < offerings->count; i++) {
            if (bitset_has(state->shapes, offerings->items[i].shape))
                claiming->takers[claiming->first[row] + i] |= UINT32_C(1) << item;
        }
    }
}

// Marks the offerings as which pods of the item may be launched with any of their variants, in a claim that starts from
// state `base`.
static void mark_item(Claiming *claiming, uint32_t item, uint32_t base) {
    Solver *solver = claiming->problem->solver;
    const PodClass *class = small_class(claiming->problem, item);

    for (vec_each(const Variant, variant, &class->variants)) {
        uint32_t state, alternatives = class->volume_alternatives.count;

        if (!small_variant_counts(claiming->problem, item, claiming->cell, variant) ||
            !bitset_has(solver->tolerated_pools + (size_t)variant->tolerations * solver->pool_words,
                        claiming->pool->number))
            continue;
        state = label_state_step(&solver->states, base, variant->labels);
        for (uint32_t i = 0; state != LABEL_STATE_NONE && i < (alternatives ? alternatives : 1); i++) {
            uint32_t next =
                alternatives ? label_state_step(&solver->states, state, class->volume_alternatives.items[i]) : state;

            if (next != LABEL_STATE_NONE)
                mark_state(claiming, item, next);
        }
    }
}

static void mark_from(Claiming *claiming, uint32_t base) {
    uint32_t banned = claiming->problem->cells.items[claiming->cell].banned;

    for (uint32_t item = 0; base != LABEL_STATE_NONE && item < claiming->problem->item_count; item++) {
        if (!(banned >> item & 1))
            mark_item(claiming, item, base);
    }
}

static void mark_all(Claiming *claiming) {
    Solver *solver = claiming->problem->solver;
    const TypeTable *table = claiming->pool->table;

    mark_from(claiming, small_state_in(claiming->problem, claiming->pool->open_state, claiming->cell));
    for (uint32_t i = 0; i < table->shape_count; i++) {
        if (table->shapes[i].capacity_type == NAME_RESERVED)
            mark_from(claiming, small_state_in(
                                    claiming->problem,
                                    label_state_step(&solver->states, claiming->pool->full_state, table->shapes[i].set),
                                    claiming->cell));
    }
}

static uint32_t supply_of(Claiming *claiming, Symbol reservation) {
    SmallProblem *problem = claiming->problem;
    const Solver *solver = problem->solver;

    for (uint32_t i = 0; i < solver->reservations.count; i++) {
        if (solver->reservations.items[i].id != reservation)
            continue;
        if (claiming->supply_of[i] == INDEX_NONE) {
            claiming->supply_of[i] = problem->supplies.count;
            vec_push(problem->arena, &problem->supplies, (double)solver->reservations.items[i].left);
        }
        return claiming->supply_of[i];
    }
    return INDEX_NONE;
}

// The items whose pods may open a claim of the pool in this cell.
static uint32_t openers(const Claiming *claiming) {
    uint32_t open = 0;

    for (uint32_t item = 0; item < claiming->problem->item_count; item++)
        open |= (uint32_t)(claiming->problem->homes[(size_t)item * claiming->problem->cells.count + claiming->cell] <=
                           claiming->pool->pool->weight)
                << item;
    return open;
}

static bool within_limits(const Pool *pool, uint32_t row) {
    uint32_t dims = pool->room->dims;

    for (uint32_t dim = 0; pool->limited && dim < dims; dim++) {
        if (pool->table->capacity[(size_t)row * dims + dim] > pool->left[dim])
            return false;
    }
    return pool->nodes_left > 0;
}

static const int64_t *clamped_room(SmallProblem *problem, const int64_t *free, uint32_t dims) {
    int64_t *room = arena_array(problem->arena, int64_t, dims);

    for (uint32_t dim = 0; dim < dims; dim++) {
        room[dim] = free[dim] > 0 ? free[dim] : 0; // pods that do not request an overcommitted resource may go there
        if (room[dim] > problem->demand[dim])
            room[dim] = problem->demand[dim];
    }
    return room;
}

static void add_row(Claiming *claiming, uint32_t row, uint32_t open) {
    const Pool *pool = claiming->pool;
    const RowOfferingVec *offerings = &pool->table->rows[row].offerings;
    const int64_t *room = NULL;

    for (uint32_t i = 0; i < offerings->count; i++) {
        const OfferingShape *shape = &pool->table->shapes[offerings->items[i].shape];
        SmallPlace place = {.price = offerings->items[i].offering->price_per_hour,
                            .items = claiming->takers[claiming->first[row] + i],
                            .cell = claiming->cell,
                            .supply = INDEX_NONE,
                            .row = row,
                            .shape = offerings->items[i].shape,
                            .pool = claiming->pool};

        place.openers = open & place.items;
        if (!place.openers)
            continue;
        if (!room)
            room = clamped_room(claiming->problem, pool->room->free + (size_t)row * pool->room->dims, pool->room->dims);
        place.room = room;
        if (shape->capacity_type == NAME_RESERVED)
            place.supply = supply_of(claiming, shape->reservation_id);
        vec_push(claiming->problem->arena, &claiming->fresh, place);
    }
}

static bool has_room_of(const SmallPlace *better, const SmallPlace *place, uint32_t dims) {
    for (uint32_t dim = 0; dim < dims; dim++) {
        if (better->room[dim] < place->room[dim])
            return false;
    }
    return true;
}

// Whether a claim is charged no more of the pool's limits than another claim of the pool.
static bool charges_no_more(const SmallPlace *better, const SmallPlace *place, uint32_t dims) {
    const Pool *pool = better->pool;

    for (uint32_t dim = 0; dim < dims; dim++) {
        if (pool->left[dim] != INT64_MAX && pool->table->capacity[(size_t)better->row * dims + dim] >
                                                pool->table->capacity[(size_t)place->row * dims + dim])
            return false;
    }
    return true;
}

// Whether limits, supplies and minValues restrict a claim no more than another one.
static bool is_as_free(const SmallPlace *better, const SmallPlace *place, uint32_t dims) {
    if (better->supply != INDEX_NONE && better->supply != place->supply)
        return false;
    if (!better->pool->limited && !better->pool->min_values.count)
        return true;
    return better->pool == place->pool && charges_no_more(better, place, dims);
}

// Whether every content of `place` may be on `better`, at no higher price and with no higher charge of any limit.
static bool dominates(const SmallProblem *problem, const SmallPlace *better, const SmallPlace *place) {
    uint32_t dims = problem->solver->classes.dimensions.count;

    if (better->price > place->price || better->cell != place->cell || (place->items & ~better->items) ||
        (place->openers & ~better->openers))
        return false;
    return is_as_free(better, place, dims) && has_room_of(better, place, dims);
}

static int by_price(const void *a, const void *b) {
    const SmallPlace *x = a, *y = b;

    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

// Drops claims that a cheaper or earlier one dominates, and sorts the rest by price.
static void drop_dominated(const SmallProblem *problem, SmallPlaceVec *places) {
    uint32_t kept = 0;

    if (places->count)
        qsort(places->items, places->count, sizeof *places->items, by_price);
    for (uint32_t i = 0; i < places->count; i++) {
        bool drop = false;

        for (uint32_t j = 0; j < kept && !drop; j++)
            drop = dominates(problem, &places->items[j], &places->items[i]);
        if (!drop)
            places->items[kept++] = places->items[i];
    }
    places->count = kept;
}

static void claim_in_cell(Claiming *claiming) {
    const Pool *pool = claiming->pool;
    uint32_t open = openers(claiming), offerings = 0;

    for (uint32_t row = 0; row < pool->table->row_count; row++)
        offerings += pool->table->rows[row].offerings.count;
    memset(claiming->takers, 0, offerings * sizeof *claiming->takers);
    mark_all(claiming);
    claiming->fresh.count = 0;
    for (uint32_t row = 0; row < pool->table->row_count; row++) {
        if (within_limits(pool, row))
            add_row(claiming, row, open);
    }
    drop_dominated(claiming->problem, &claiming->fresh);
    for (vec_each(const SmallPlace, place, &claiming->fresh))
        vec_push(claiming->problem->arena, &claiming->problem->claims, *place);
}

// False: the solve's budget is used up.
static bool claim_of_pool(Claiming *claiming) {
    SmallProblem *problem = claiming->problem;
    const TypeTable *table = claiming->pool->table;
    uint32_t offerings = 0;

    claiming->first = arena_array(problem->arena, uint32_t, table->row_count);
    for (uint32_t row = 0; row < table->row_count; row++) {
        claiming->first[row] = offerings;
        offerings += table->rows[row].offerings.count;
    }
    claiming->takers = arena_array(problem->arena, uint32_t, offerings);
    for (claiming->cell = 0; claiming->cell < problem->cells.count; claiming->cell++) {
        claim_in_cell(claiming);
        if (!budget_spend(&problem->solver->budget, (uint64_t)offerings * problem->item_count))
            return false;
    }
    return true;
}

static void add_limits(SmallProblem *problem, const Pool *pool) {
    for (uint32_t dim = 0; pool->limited && dim < pool->room->dims; dim++) {
        if (pool->left[dim] != INT64_MAX)
            vec_push(problem->arena, &problem->limits, (SmallLimit){pool, dim, (double)pool->left[dim]});
    }
    if (pool->nodes_left != INT64_MAX)
        vec_push(problem->arena, &problem->limits, (SmallLimit){pool, INDEX_NONE, (double)pool->nodes_left});
}

static bool make_claims(SmallProblem *problem) {
    const Solver *solver = problem->solver;
    Claiming claiming = {.problem = problem,
                         .supply_of = arena_array(problem->arena, uint32_t, solver->reservations.count)};

    for (uint32_t i = 0; i < solver->reservations.count; i++)
        claiming.supply_of[i] = INDEX_NONE;
    for (vec_each(Pool, pool, &solver->pools)) {
        if (pool->min_values_unmet)
            continue;
        add_limits(problem, pool);
        claiming.pool = pool;
        if (!claim_of_pool(&claiming) || problem->claims.count > problem->places_max * 4)
            return false;
    }
    drop_dominated(problem, &problem->claims);
    return problem->claims.count <= problem->places_max;
}

// --- nodes

// The cell of a node by its label state; INDEX_NONE: none.
static uint32_t cell_of(const SmallProblem *problem, uint32_t state) {
    for (uint32_t i = 0; i < problem->cells.count; i++) {
        bool same = true;

        for (uint32_t k = 0; k < problem->keys.count && same; k++) {
            const LabelKey *key = &problem->solver->universe.keys.items[problem->keys.items[k]];
            uint32_t atom =
                bitset_next(label_state_key(&problem->solver->states, state, problem->keys.items[k]), key->words, 0);

            same = problem->cells.items[i].atoms[k] == (atom < key->value_count ? atom : INDEX_NONE);
        }
        if (same)
            return i;
    }
    return INDEX_NONE;
}

// Whether the rules of hosts allow a pod of the class beside the pods that run there. Affinity is not checked, as pods
// of the plan may come there.
static bool hosts_allow(const Solver *solver, const Bin *bin, const PodClass *class, const Variant *variant) {
    for (vec_each(const uint32_t, number, &variant->bin_checks)) {
        const TopologyGroup *group = &solver->topology.groups.items[*number];

        if (group->kind != GROUP_AFFINITY &&
            !topology_bin_allowance(group, class_counts_for(class, *number), bin->number, 1))
            return false;
    }
    return true;
}

static bool node_takes(SmallProblem *problem, const Bin *bin, uint32_t cell, uint32_t item) {
    const PodClass *class = small_class(problem, item);
    Solver *solver = problem->solver;

    if (port_sets_conflict(class->ports, bin->ports))
        return false;
    for (uint32_t number = 0; number < class->variants.count; number++) {
        const Variant *variant = class_variant(class, number);
        uint32_t alternatives = class->volume_alternatives.count, state;

        if (!small_variant_counts(problem, item, cell, variant) ||
            !bitset_has(solver->tolerated_nodes[variant->tolerations], bin->number) ||
            !hosts_allow(solver, bin, class, variant))
            continue;
        state = label_state_step(&solver->states, bin->state, variant->labels);
        for (uint32_t i = 0; state != LABEL_STATE_NONE && i < (alternatives ? alternatives : 1); i++) {
            if (!alternatives ||
                label_state_step(&solver->states, state, class->volume_alternatives.items[i]) != LABEL_STATE_NONE)
                return true;
        }
    }
    return false;
}

// Whether rules of hosts count the same pods on both nodes.
static bool same_company(const SmallProblem *problem, uint32_t a, uint32_t b) {
    const TopologyGroup *groups = problem->solver->topology.groups.items;

    for (vec_each(const SmallCap, cap, &problem->caps)) {
        if (topology_on_bin(&groups[cap->group], a) != topology_on_bin(&groups[cap->group], b))
            return false;
    }
    for (vec_each(const SmallCompany, company, &problem->companies)) {
        if ((topology_on_bin(&groups[company->group], a) > 0) != (topology_on_bin(&groups[company->group], b) > 0))
            return false;
    }
    return true;
}

static SmallPlace *same_node(SmallProblem *problem, const SmallPlace *node, uint32_t bin) {
    uint32_t dims = problem->solver->classes.dimensions.count;

    for (vec_each(SmallPlace, known, &problem->nodes)) {
        if (known->items == node->items && known->cell == node->cell &&
            memcmp(known->room, node->room, dims * sizeof *node->room) == 0 &&
            same_company(problem, known->bins.items[0], bin))
            return known;
    }
    return NULL;
}

static bool add_node(SmallProblem *problem, const Bin *bin) {
    uint32_t dims = problem->solver->classes.dimensions.count;
    SmallPlace node = {.supply = INDEX_NONE}, *known;

    node.cell = cell_of(problem, bin->state);
    if (node.cell == INDEX_NONE)
        return false;
    node.room = clamped_room(problem, bin->free, dims);
    for (uint32_t item = 0; item < problem->item_count; item++)
        node.items |= (uint32_t)node_takes(problem, bin, node.cell, item) << item;
    node.items &= ~problem->cells.items[node.cell].banned;
    node.openers = node.items;
    if (!node.items)
        return true;
    known = same_node(problem, &node, bin->number);
    if (!known) {
        vec_push(problem->arena, &problem->nodes, node);
        known = vec_last(&problem->nodes);
    }
    vec_push(problem->arena, &known->bins, bin->number);
    return problem->nodes.count <= SMALL_NODES_MAX;
}

bool small_make_places(SmallProblem *problem) {
    problem->homes = small_find_homes(problem);
    if (!make_claims(problem))
        return false;
    for (uint32_t i = 0; i < problem->solver->node_count; i++) {
        if (!add_node(problem, &problem->solver->bins.items[i]))
            return false;
    }
    return true;
}
