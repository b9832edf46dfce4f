// Prepares NodePools for a solve.
#include "sched/input/pool.h"

#include "model/claim_template.h"
#include "model/node_loss.h"
#include "model/pool_name.h"

#include <stdlib.h>

// --- order and mentions

static int compare_pools(const void *a, const void *b, void *symbols) {
    const Pool *x = a, *y = b;

    if (x->pool->weight != y->pool->weight)
        return x->pool->weight > y->pool->weight ? -1 : 1;
    return symbol_cmp(symbols, y->pool->meta.name, x->pool->meta.name);
}

static void make_template(Pool *pool, Symbols *symbols, Arena *arena) {
    const NodeClaimTemplateSpec *spec = &pool->pool->template_spec;
    const Labels *labels = &pool->pool->template_labels;
    Requirement mark;

    for (uint32_t i = 0; i < labels->count; i++)
        labels_set(arena, &pool->labels, labels->items[i].key, labels->items[i].value);
    pool_mark(arena, symbols, &pool->labels, pool->pool->meta.name);
    if (spec->node_class.kind != NAME_EMPTY)
        labels_set(arena, &pool->labels, node_class_label(arena, symbols, &spec->node_class), spec->node_class.name);
    for (vec_each(Expression, expression, &spec->requirements)) {
        Requirement requirement = requirement_make(arena, symbols, expression);

        requirements_add(arena, symbols, &pool->requirements, &requirement);
    }
    for (uint32_t i = 0; i < pool->labels.count; i++) {
        Requirement requirement = requirement_in(arena, pool->labels.items[i].key, pool->labels.items[i].value);

        requirements_add(arena, symbols, &pool->requirements, &requirement);
    }
    mark = requirement_in(arena, NAME_REGISTERED, NAME_TRUE); // so that daemons that select these labels count
    requirements_add(arena, symbols, &pool->requirements, &mark);
    mark = requirement_in(arena, NAME_INITIALIZED, NAME_TRUE);
    requirements_add(arena, symbols, &pool->requirements, &mark);
}

bool plan_pool_has_new_types(const PlanInput *input, uint32_t number) {
    for (uint32_t i = 0; i < number; i++) {
        if (input->pools.items[i].types == input->pools.items[number].types)
            return false;
    }
    return true;
}

// Mentions the ids of reservations, since claims may be tied to one, and the zones of types with capacity overrides,
// since a claim may have to be pinned to a zone (bin/claim_types.h).
static void mention_offerings(Universe *universe, const InstanceTypeVec *types) {
    for (vec_each(InstanceType, type, types)) {
        for (vec_each(Offering, offering, &type->offerings)) {
            if (offering->capacity_type == NAME_RESERVED)
                universe_mention_value(universe, NAME_RESERVATION_ID, offering->reservation_id);
            if (offering->has_override)
                universe_mention_topology(universe, NAME_ZONE);
        }
    }
}

void pools_mention(const PlanInput *input, Universe *universe, PoolVec *ret_pools, Arena *arena) {
    Symbols *symbols = &input->cluster->symbols;

    for (vec_each(PlanPool, given, &input->pools)) {
        Pool *pool = vec_add(arena, ret_pools);

        pool->pool = given->pool;
        make_template(pool, symbols, arena);
        if (plan_pool_has_new_types(input, ret_pools->count - 1))
            mention_offerings(universe, given->types);
        universe_mention_expressions(universe, &given->pool->template_spec.requirements);
        universe_mention_requirements(universe, &pool->requirements);
    }
    if (ret_pools->count)
        qsort_r(ret_pools->items, ret_pools->count, sizeof *ret_pools->items, compare_pools, symbols);
    for (uint32_t i = 0; i < ret_pools->count; i++)
        ret_pools->items[i].number = i;
    universe_mention_value(universe, NAME_CAPACITY_TYPE, NAME_RESERVED);
    universe_mention_value(universe, NAME_CAPACITY_TYPE, NAME_SPOT);
    universe_mention_value(universe, NAME_CAPACITY_TYPE, NAME_ON_DEMAND);
}

// --- states

static bool key_is_core(Symbol key) {
    return key == NAME_NODEPOOL || key == NAME_ZONE || key == NAME_REGION || key == NAME_INSTANCE_TYPE ||
           key == NAME_ARCH || key == NAME_OS || key == NAME_CAPACITY_TYPE || key == NAME_WINDOWS_BUILD;
}

bool pool_knows_key(const Pool *pool, const Universe *universe, uint32_t key) {
    return key_is_core(universe->keys.items[key].key) || pool->table->known_keys[key];
}

// The values that a new node may have for a key that the pool does not define.
static void fill_undefined(const Pool *pool, const Universe *universe, uint32_t index, uint64_t *mask) {
    const LabelKey *key = &universe->keys.items[index];

    memset(mask, 0, key->words * sizeof *mask);
    if (key->key == NAME_HOSTNAME)
        bitset_set(mask, key->other); // the name of a node that does not exist yet
    else if (pool_knows_key(pool, universe, index))
        bitset_fill(mask, key->atoms);
    else
        bitset_set(mask, key->absent);
}

static uint64_t *template_row(ClassTable *table, const Pool *pool) {
    Universe *universe = table->universe;
    LabelSetBuilder builder = label_set_start(table->arena, universe);

    label_set_and_expressions(&builder, &pool->pool->template_spec.requirements);
    label_set_and_labels(&builder, &pool->labels);
    for (uint32_t key = 0; key < universe->keys.count; key++) {
        const LabelKey *label_key = &universe->keys.items[key];
        uint64_t *mask = row_key(universe, builder.row, key);

        if (label_key->key == NAME_REGISTERED || label_key->key == NAME_INITIALIZED) {
            memset(mask, 0, label_key->words * sizeof *mask);
            bitset_set(mask, universe_atom(universe, key, NAME_TRUE));
        } else if (!builder.constrained[key]) {
            fill_undefined(pool, universe, key, mask);
        }
    }
    builder.row[universe->row_words] = 0;
    return builder.row;
}

static bool has_reserved(const TypeTable *table) {
    for (uint32_t i = 0; i < table->shape_count; i++) {
        if (table->shapes[i].capacity_type == NAME_RESERVED)
            return true;
    }
    return false;
}

// A claim that uses no reservation must not be launched into one, so `open_state` is without "reserved" if the pool
// allows other capacity types.
static void make_states(ClassTable *table, LabelStates *states, Pool *pool) {
    Universe *universe = table->universe;
    uint64_t *row = template_row(table, pool);
    uint32_t key = universe_key(universe, NAME_CAPACITY_TYPE);
    uint64_t *mask = row_key(universe, row, key);
    uint64_t *rows = arena_array(table->arena, uint64_t, pool->table->words + 1);

    pool->template_row = arena_copy(table->arena, row, (universe->row_words + 1) * sizeof *row);
    pool->label_rows = arena_array(table->arena, uint64_t, pool->table->words + 1);
    type_table_rows(pool->table, universe, row, rows, pool->label_rows, NULL);
    pool->full_state = label_state_intern(states, pool->table, row, true);
    if (has_reserved(pool->table))
        bitset_clear(mask, universe_atom(universe, key, NAME_RESERVED));
    pool->open_state = bitset_is_empty(mask, universe->keys.items[key].words)
                           ? LABEL_STATE_NONE
                           : label_state_intern(states, pool->table, row, false);
}

// --- daemons

bool pool_tolerated(const Pool *pool, const Symbols *symbols, const TolerationVec *tolerations) {
    return taints_are_tolerated(symbols, &pool->pool->template_spec.taints, tolerations, true);
}

// The rows on which the daemon runs by one of its node affinity terms.
static void daemon_rows(ClassTable *table, const Pool *pool, const PodSpec *spec, uint32_t term, uint64_t *rows) {
    Universe *universe = table->universe;
    Arena scratch = {0};
    LabelSetBuilder builder = label_set_start(&scratch, universe);
    uint64_t *row = arena_copy(&scratch, pool->template_row, (universe->row_words + 1) * sizeof *row);
    uint64_t *all = arena_array(&scratch, uint64_t, pool->table->words + 1);
    uint64_t *labels = arena_array(&scratch, uint64_t, pool->table->words + 1);

    label_set_and_labels(&builder, &spec->node_selector);
    if (term < spec->required_node_terms.count)
        label_set_and_term(&builder, &spec->required_node_terms.items[term].expressions);
    if (row_narrow(universe, row, label_set(universe, label_set_finish(&builder)))) {
        type_table_rows(pool->table, universe, row, all, labels, NULL);
        bitset_or(rows, labels, pool->table->words);
    }
    arena_free(&scratch);
}

static bool daemon_fits_row(const int64_t *requests, const int64_t *allocatable, const int64_t *overhead,
                            uint32_t dims) {
    for (uint32_t dim = 0; dim < dims; dim++) {
        if (requests[dim] > 0 && requests[dim] > allocatable[dim] - overhead[dim])
            return false;
    }
    return true;
}

static bool daemon_fits(const Pool *pool, const int64_t *requests, const uint64_t *rows, const int64_t *overhead,
                        uint32_t dims) {
    for (bitset_each(row, rows, pool->table->words)) {
        size_t at = (size_t)row * dims;

        if (daemon_fits_row(requests, pool->table->allocatable + at, overhead + at, dims))
            return true;
    }
    return false;
}

// A daemon that fits on some of its rows counts on all of them, as with Karpenter: types that are too small for it are
// not used. One that fits on none stays pending on every node. If it counted, no pod would have a place.
static void add_daemon(ClassTable *table, Pool *pool, uint32_t number, int64_t *overhead) {
    const PodSpec *spec = table->daemon_specs[number];
    const Cluster *cluster = table->input->cluster;
    uint32_t dims = table->dimensions.count, terms = spec->required_node_terms.count;
    int64_t *requests = arena_array(table->arena, int64_t, dims);
    uint64_t *rows = arena_array(table->arena, uint64_t, pool->table->words);

    if (spec->has_resource_claims ||
        !taints_are_tolerated(&cluster->symbols, &pool->pool->template_spec.taints, &spec->tolerations, false))
        return;
    for (uint32_t term = 0; term < (terms ? terms : 1); term++)
        daemon_rows(table, pool, spec, term, rows);
    if (bitset_is_empty(rows, pool->table->words))
        return;
    dimensions_fill(&table->dimensions, table->daemon_requests[number], requests);
    if (!daemon_fits(pool, requests, rows, overhead, dims)) {
        vec_push(table->arena, &pool->daemons_left_out, number);
        return;
    }
    for (bitset_each(row, rows, pool->table->words)) {
        for (uint32_t dim = 0; dim < dims; dim++)
            overhead[(size_t)row * dims + dim] = amount_clamp(overhead[(size_t)row * dims + dim] + requests[dim]);
    }
    if (table->has_ports && spec->host_ports.count)
        vec_push(table->arena, &pool->daemon_ports,
                 (DaemonPorts){port_set_make(table->arena, &cluster->symbols, &spec->host_ports), rows});
}

// The Room of an earlier pool with the same types and the same overhead of daemons, or NULL.
static Room *room_shared(const ClassTable *table, const PoolVec *pools, const Pool *pool, const int64_t *overhead) {
    size_t bytes = (size_t)pool->table->row_count * table->dimensions.count * sizeof *overhead;

    for (const Pool *other = pools->items; other < pool; other++) {
        if (other->table == pool->table && memcmp(other->room->overhead, overhead, bytes) == 0)
            return other->room;
    }
    return NULL;
}

static void make_room(ClassTable *table, const PoolVec *pools, Pool *pool) {
    uint32_t dims = table->dimensions.count;
    int64_t *overhead = arena_array(table->arena, int64_t, (size_t)pool->table->row_count * dims);

    for (uint32_t i = 0; i < table->input->cluster->daemon_sets.count; i++)
        add_daemon(table, pool, table->daemon_order[i], overhead);
    pool->room = room_shared(table, pools, pool, overhead);
    if (pool->room)
        return;
    pool->room = arena_new(table->arena, Room);
    room_make(table->arena, pool->room, pool->table, &table->dimensions, overhead);
}

// --- minValues

static void add_min_values(ClassTable *table, Pool *pool, Symbol key, int32_t wanted) {
    MinValues *rule = vec_add(table->arena, &pool->min_values);
    IndexMap numbers = {0};

    rule->key = key;
    rule->key_index = universe_key(table->universe, key);
    rule->wanted = wanted;
    rule->values = arena_alloc_array(table->arena, sizeof *rule->values, pool->table->row_count);
    for (uint32_t row = 0; row < pool->table->row_count; row++) {
        const Requirement *requirement = requirements_get(&pool->table->rows[row].type->requirements, key);

        if (!requirement || requirement->complement) // excluded values do not count (Q4)
            continue;
        for (vec_each(Symbol, value, &requirement->values)) {
            uint32_t number = u64_map_get(&numbers, *value);

            if (number == INDEX_NONE) {
                number = rule->value_count++;
                u64_map_put(table->arena, &numbers, *value, number);
            }
            vec_push(table->arena, &rule->values[row],
                     (MinValue){number, universe_atom(table->universe, rule->key_index, *value)});
        }
    }
}

static int32_t count_values(const MinValues *rule, const uint64_t *allowed, const uint64_t *rows, uint32_t words) {
    uint64_t seen[64] = {0}; // values beyond 4,096 of a key are not counted
    int32_t count = 0;

    for (bitset_each(row, rows, words)) {
        for (vec_each(MinValue, value, &rule->values[row])) {
            if (value->number < 64 * 64 && !bitset_has(seen, value->number) && bitset_has(allowed, value->atom)) {
                bitset_set(seen, value->number);
                count++;
            }
        }
    }
    return count;
}

bool pool_min_values_met(const Pool *pool, const Universe *universe, const uint64_t *labels, const uint64_t *rows,
                         const int32_t *wanted, int32_t *ret_counts) {
    bool met = true;

    for (uint32_t i = 0; i < pool->min_values.count; i++) {
        const MinValues *rule = &pool->min_values.items[i];
        const uint64_t *allowed = labels + universe->keys.items[rule->key_index].first_word;
        int32_t count = count_values(rule, allowed, rows, pool->table->words);

        if (ret_counts)
            ret_counts[i] = count;
        met &= count >= (wanted ? wanted[i] : rule->wanted);
    }
    return met;
}

static void make_min_values(ClassTable *table, const LabelStates *states, Pool *pool) {
    for (uint32_t i = 0; i < pool->requirements.count; i++) {
        const Requirement *requirement = &pool->requirements.items[i];

        if (requirement->min_values > 0)
            add_min_values(table, pool, requirement->key, requirement->min_values);
    }
    if (pool->min_values.count && pool->open_state != LABEL_STATE_NONE && table->input->min_values == MIN_VALUES_STRICT)
        pool->min_values_unmet =
            !pool_min_values_met(pool, table->universe, label_state_at(states, pool->open_state)->row,
                                 label_state_at(states, pool->open_state)->rows, NULL, NULL);
}

// --- limits

static int compare_sizes(const void *a, const void *b, void *context) {
    const Pool *pool = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b, dims = pool->room->dims;

    for (uint32_t dim = 0; dim < dims; dim++) {
        int64_t of_x = pool->table->capacity[(size_t)x * dims + dim];
        int64_t of_y = pool->table->capacity[(size_t)y * dims + dim];

        if (pool->left[dim] != INT64_MAX && of_x != of_y)
            return of_x < of_y ? -1 : 1;
    }
    return (x > y) - (x < y);
}

// What a claim with minValues is charged is found by (bin/limits.c).
static void sort_by_size(ClassTable *table, Pool *pool) {
    uint32_t count = pool->table->row_count;

    if (!pool->limited || !pool->min_values.count)
        return;
    pool->by_size = arena_array(table->arena, uint32_t, count);
    for (uint32_t row = 0; row < count; row++)
        pool->by_size[row] = row;
    qsort_r(pool->by_size, count, sizeof *pool->by_size, compare_sizes, pool);
}

// Only types that the pool may launch count: the largest of all that a provider has would come near every limit.
static void find_largest(ClassTable *table, LabelStates *states, Pool *pool) {
    const uint64_t *rows = label_state_at(states, pool->full_state)->rows;
    uint32_t dims = table->dimensions.count;

    pool->largest = arena_array(table->arena, int64_t, dims);
    for (bitset_each(row, rows, pool->table->words)) {
        for (uint32_t dim = 0; dim < dims; dim++) {
            if (pool->table->capacity[(size_t)row * dims + dim] > pool->largest[dim])
                pool->largest[dim] = pool->table->capacity[(size_t)row * dims + dim];
        }
    }
}

static void make_limits(ClassTable *table, LabelStates *states, Pool *pool) {
    const NodePool *node_pool = pool->pool;
    Resources left = resources_copy(table->arena, &node_pool->limits);

    pool->left = arena_array(table->arena, int64_t, table->dimensions.count);
    for (uint32_t dim = 0; dim < table->dimensions.count; dim++)
        pool->left[dim] = INT64_MAX;
    pool->nodes_left = INT64_MAX;
    if (!node_pool->limits.count)
        return;
    pool->limited = true;
    pool->no_larger = arena_array(table->arena, uint64_t *, pool->table->row_count);
    find_largest(table, states, pool);
    for (vec_each(NodeView, node, &table->input->nodes)) {
        if (node->pool != node_pool->meta.name || node->deleting)
            continue;
        for (uint32_t i = 0; i < left.count; i++)
            left.items[i].amount -= resources_get(&node->capacity, left.items[i].resource);
    }
    for (uint32_t i = 0; i < left.count; i++) {
        if (left.items[i].resource == NAME_NODES)
            pool->nodes_left = left.items[i].amount;
        else
            pool->left[dimension_of(&table->dimensions, left.items[i].resource)] = left.items[i].amount;
        pool->exhausted |= left.items[i].amount < 0;
    }
}

void pool_drop_port_conflicts(const Pool *pool, const PortSet *ports, uint64_t *rows) {
    if (!ports)
        return;
    for (vec_each(const DaemonPorts, daemon, &pool->daemon_ports)) {
        if (port_sets_conflict(ports, daemon->ports))
            bitset_and_not(rows, daemon->rows, pool->table->words);
    }
}

static bool limits_are_far(const Pool *pool, const int64_t *charge) {
    for (uint32_t dim = 0; dim < pool->room->dims; dim++) {
        if (pool->left[dim] != INT64_MAX && pool->left[dim] + (charge ? charge[dim] : 0) < pool->largest[dim])
            return false;
    }
    return true;
}

static bool within_limits(const Pool *pool, const int64_t *charge, uint32_t row) {
    uint32_t dims = pool->room->dims;

    for (uint32_t dim = 0; dim < dims; dim++) {
        if (pool->left[dim] != INT64_MAX &&
            pool->table->capacity[(size_t)row * dims + dim] > pool->left[dim] + (charge ? charge[dim] : 0))
            return false;
    }
    return true;
}

void pool_limit_rows(const Pool *pool, const int64_t *charge, uint64_t *rows) {
    if (!pool->limited || limits_are_far(pool, charge))
        return;
    for (bitset_each(row, rows, pool->table->words)) {
        if (!within_limits(pool, charge, row))
            bitset_clear(rows, row);
    }
}

// --- all together

static const TypeTable *table_for(ClassTable *table, const PlanInput *input, const PoolVec *pools, const Pool *pool) {
    const InstanceTypeVec *types = NULL;
    const TypeDigest *digest;
    TypeTable *made;

    for (vec_each(PlanPool, given, &input->pools)) {
        if (given->pool == pool->pool)
            types = given->types;
    }
    for (const Pool *other = pools->items; other < pool; other++) {
        if (other->table->types == types)
            return other->table;
    }
    made = arena_new(table->arena, TypeTable);
    if (input->digests) {
        digest = type_digests_get(input->digests, table->universe->symbols, types);
    } else {
        TypeDigest *own = arena_new(table->arena, TypeDigest);

        type_digest_make(own, table->arena, table->universe->symbols, types);
        digest = own;
    }
    type_table_make(made, digest, table->universe, &table->dimensions);
    return made;
}

void pools_make(ClassTable *table, LabelStates *states, PoolVec *pools) {
    for (vec_each(Pool, pool, pools)) {
        pool->table = table_for(table, table->input, pools, pool);
        make_states(table, states, pool);
        make_room(table, pools, pool);
        make_min_values(table, states, pool);
        make_limits(table, states, pool);
        sort_by_size(table, pool);
        pool->node_loss_cost = node_loss_cost(table->universe->symbols, pool->pool, NULL);
    }
}
