// Checks of instance types: the criteria that each one fails, and the type that is nearest to fitting.
#include "sched/explain/types.h"

#include "sched/explain/culprit.h"
#include "sched/explain/pool.h"

#include <stdlib.h>

// The number of volumes of a driver's dimension that the pod attaches.
static int64_t volumes_of(const Explanation *e, uint32_t dim) {
    const Dimensions *dimensions = &e->solver->classes.dimensions;
    int64_t count = e->class->requests[dim];

    for (vec_each(Symbol, driver, &e->class->shared_drivers))
        count += dimension_of_driver(dimensions, *driver) == dim;
    return count;
}

// Whether the pod has more volumes of a driver than any type of the pool can attach. changes.md 5.1.
bool explain_volume_limits(Explanation *e) {
    const Dimensions *dimensions = &e->solver->classes.dimensions;
    const TypeTable *table = e->pool->table;
    const uint64_t *rows = label_state_at(&e->solver->states, e->pool->full_state)->rows;

    for (uint32_t dim = 0; dim < dimensions->count; dim++) {
        Slice driver = explain_name(e, dimensions->drivers[dim]);
        int64_t most = 0, count = volumes_of(e, dim);

        for (bitset_each(row, rows, table->words)) {
            if (table->allocatable[(size_t)row * dimensions->count + dim] > most)
                most = table->allocatable[(size_t)row * dimensions->count + dim];
        }
        if (slice_is_empty(driver) || count <= most)
            continue;
        buffer_printf(&e->text,
                      "would exceed volume limit for all instance type options (provisioner=%.*s, volume-count=%lld, "
                      "volume-limit=%lld)",
                      SLICE_ARG(driver), (long long)count, (long long)most);
        e->reason->needed = count;
        e->reason->nearest = most;
        EXPLAIN_MISS(e, "the pod has %lld volumes of %.*s, no type of nodepool %.*s attaches more than %lld",
                     (long long)count, SLICE_ARG(driver), SLICE_ARG(explain_pool_name(e)), (long long)most);
        return explain_fail(e, CHECK_VOLUME_LIMITS, dimensions->drivers[dim]);
    }
    return false;
}

// Whether some row meets each of the three criteria, and each pair of them.
typedef struct {
    bool labels, fit, offering;
    bool labels_fit, labels_offering, fit_offering;
} Criteria;

// Judges the rows of `among`. A type without a compatible offering does not count as fitting: scheduling.md 3.4.
static Criteria judge_rows(Explanation *e, const uint64_t *row, const uint64_t *among) {
    Solver *solver = e->solver;
    const TypeTable *table = e->pool->table;
    uint64_t *all = arena_array(solver->arena, uint64_t, table->words + 1);
    uint64_t *labels = arena_array(solver->arena, uint64_t, table->words + 1);
    uint64_t *offering = arena_array(solver->arena, uint64_t, table->words + 1);
    uint64_t *fit = arena_array(solver->arena, uint64_t, table->words + 1);
    Criteria criteria = {0};

    type_table_rows(table, &solver->universe, row, all, labels, offering);
    bitset_fill(fit, table->row_count);
    if (!room_fit(e->pool->room, solver->zero, e->class->requests, 1, fit))
        memset(fit, 0, table->words * sizeof *fit);
    for (uint32_t i = 0; i < table->row_count; i++) {
        bool l = bitset_has(labels, i), o = bitset_has(offering, i), f = o && bitset_has(fit, i);

        if (!bitset_has(among, i))
            continue;
        criteria.labels |= l;
        criteria.fit |= f;
        criteria.offering |= o;
        criteria.labels_fit |= l && f && !o;
        criteria.labels_offering |= l && o && !f;
        criteria.fit_offering |= f && o && !l;
    }
    return criteria;
}

static const char *criteria_text(const Criteria *c) {
    if (!c->labels && !c->fit && !c->offering)
        return "no instance type met the scheduling requirements or had enough resources or had a required offering";
    if (!c->labels && !c->fit)
        return "no instance type met the scheduling requirements or had enough resources";
    if (!c->labels && !c->offering)
        return "no instance type met the scheduling requirements or had a required offering";
    if (!c->fit && !c->offering)
        return "no instance type had enough resources or had a required offering";
    if (!c->labels)
        return "no instance type met all requirements";
    if (!c->fit)
        return "no instance type has enough resources";
    if (!c->offering)
        return "no instance type has the required offering";
    if (c->labels_fit)
        return "no instance type which met the scheduling requirements and had enough resources, had a required "
               "offering";
    if (c->fit_offering)
        return "no instance type which had enough resources and the required offering met the scheduling "
               "requirements";
    if (c->labels_offering)
        return "no instance type which met the scheduling requirements and the required offering had the required "
               "resources";
    return "no instance type met the requirements/resources/offering tuple";
}

// Requests of the daemons of a row.
static Resources daemons_of(const Explanation *e, uint32_t row) {
    Solver *solver = e->solver;
    const Room *room = e->pool->room;
    Resources sum = {0};

    for (uint32_t dim = 0; dim < room->dims; dim++) {
        Symbol resource = solver->classes.dimensions.resources[dim];
        int64_t amount = room->overhead[(size_t)row * room->dims + dim];

        if (amount && resource != NAME_EMPTY)
            resources_set(solver->arena, &sum, resource, amount);
    }
    return sum;
}

Resources explain_daemons(const Explanation *e) {
    Resources most = {0};

    for (uint32_t row = 0; row < e->pool->table->row_count; row++) {
        Resources daemons = daemons_of(e, row);

        if (row == 0 || resources_fit(&most, &daemons))
            most = daemons;
    }
    return most;
}

// Requests of the pod and of the daemons of a row.
static Resources with_daemons(const Explanation *e, uint32_t row) {
    Resources sum = resources_copy(e->solver->arena, &e->class->request_list), daemons = daemons_of(e, row);

    resources_add(e->solver->arena, &sum, &daemons);
    return sum;
}

// Resources are given as the least and the most with daemons when rows differ in these.
void explain_append_asked(Explanation *e) {
    Solver *solver = e->solver;
    const Symbols *symbols = solver->universe.symbols;
    Requirements requirements = requirements_copy(solver->arena, &e->pool->requirements);
    Resources least = {0}, most = {0};

    requirements_add_all(solver->arena, symbols, &requirements, &e->pod);
    for (uint32_t row = 0; row < e->pool->table->row_count; row++) {
        Resources sum = with_daemons(e, row);

        if (row == 0 || resources_fit(&sum, &least))
            least = sum;
        if (row == 0 || resources_fit(&most, &sum))
            most = sum;
    }
    buffer_printf(&e->text, ", requirements=%.*s, resources=",
                  SLICE_ARG(requirements_print(solver->arena, symbols, &requirements)));
    if (resources_eq(&least, &most))
        buffer_append(&e->text, resources_print_json(solver->arena, symbols, &least));
    else
        buffer_printf(&e->text, "min=%.*s, max=%.*s", SLICE_ARG(resources_print_json(solver->arena, symbols, &least)),
                      SLICE_ARG(resources_print_json(solver->arena, symbols, &most)));
}

// The resource of a dimension that the pod requests: resources that nothing has share one.
static Symbol resource_of(const Explanation *e, uint32_t dim) {
    const Dimensions *dimensions = &e->solver->classes.dimensions;
    const Resources *requests = &e->class->request_list;

    for (uint32_t i = 0; i < requests->count; i++) {
        if (requests->items[i].amount && requests->items[i].amount == e->class->requests[dim] &&
            dimension_of(dimensions, requests->items[i].resource) == dim)
            return requests->items[i].resource;
    }
    return dimensions->resources[dim];
}

// Sets the nearest miss: the resource of which even the largest type has too little, if there is one.
static void nearest_type(Explanation *e) {
    const Dimensions *dimensions = &e->solver->classes.dimensions;
    const Room *room = e->pool->room;
    const LabelState *state = label_state_at(&e->solver->states, e->state);
    bool any = !bitset_is_empty(state->rows, e->pool->table->words);

    for (uint32_t dim = 0; dim < room->dims; dim++) {
        int64_t largest = 0, amount = e->class->requests[dim];
        Symbol resource = resource_of(e, dim);

        for (uint32_t row = 0; row < e->pool->table->row_count; row++) {
            if ((!any || bitset_has(state->rows, row)) && room->free[(size_t)row * room->dims + dim] > largest)
                largest = room->free[(size_t)row * room->dims + dim];
        }
        if (amount <= largest)
            continue;
        e->reason->subject = resource == NAME_EMPTY ? dimensions->drivers[dim] : resource;
        e->reason->needed = amount;
        e->reason->nearest = largest;
        EXPLAIN_MISS(e, "the pod wants %.*s %.*s, the largest type has %.*s free after daemons",
                     SLICE_ARG(resource_print(e->solver->arena, resource, amount)),
                     SLICE_ARG(explain_name(e, e->reason->subject)),
                     SLICE_ARG(resource_print(e->solver->arena, resource, largest)));
        return;
    }
    EXPLAIN_MISS(e, "no single type has all that the pod wants: lower its requests or widen nodepool %.*s",
                 SLICE_ARG(explain_pool_name(e)));
}

// The rows within what is left of the limits.
static uint64_t *affordable_rows(const Explanation *e) {
    uint64_t *rows = bitset_new(e->solver->arena, e->pool->table->row_count + 64);

    bitset_fill(rows, e->pool->table->row_count);
    pool_limit_rows(e->pool, NULL, rows);
    return rows;
}

static int compare_slices(const void *a, const void *b) {
    return slice_cmp(*(const Slice *)a, *(const Slice *)b);
}

// The keys of which the rows have too few values, sorted by text; none when minValues are met or may be relaxed.
static SliceVec unmet_min_values(const Explanation *e, const uint64_t *rows) {
    const MinValuesVec *rules = &e->pool->min_values;
    int32_t *counts = arena_array(e->solver->arena, int32_t, rules->count);
    SliceVec keys = {0};

    if (e->solver->input->min_values == MIN_VALUES_BEST_EFFORT)
        return keys;
    pool_min_values_met(e->pool, &e->solver->universe, label_state_at(&e->solver->states, e->state)->row, rows, NULL,
                        counts);
    for (uint32_t i = 0; i < rules->count; i++) {
        if (counts[i] < rules->items[i].wanted)
            vec_push(e->solver->arena, &keys, explain_name(e, rules->items[i].key));
    }
    if (keys.count)
        qsort(keys.items, keys.count, sizeof *keys.items, compare_slices);
    return keys;
}

// Karpenter's text: minValues first, whatever else is wrong with the types. scheduling.md 5.5.
static void append_types_text(Explanation *e, const SliceVec *unmet, const Criteria *criteria) {
    if (unmet->count) {
        buffer_printf(&e->text, "minValues requirement is not met for label(s) (label(s)=[");
        for (vec_each(Slice, key, unmet))
            buffer_printf(&e->text, "%s%.*s", key == unmet->items ? "" : " ", SLICE_ARG(*key));
        buffer_printf(&e->text, "])");
        explain_append_asked(e);
        return;
    }
    buffer_printf(&e->text, "%s", criteria_text(criteria));
    explain_append_asked(e);
    if (criteria->labels && criteria->offering && !criteria->fit &&
        resources_get(&e->class->request_list, NAME_CPU) >= INT64_C(1000000) * 1000)
        buffer_printf(&e->text, " (CPU request >= 1 Million, m vs M typo?)");
}

static void miss_labels(Explanation *e) {
    const Symbols *symbols = e->solver->universe.symbols;
    Requirements asked = requirements_copy(e->solver->arena, &e->pool->requirements);
    Slice culprit;

    requirements_add_all(e->solver->arena, symbols, &asked, &e->pod);
    culprit = explain_culprit(e, &asked);
    EXPLAIN_MISS(e, "no instance type has the labels that the pod and nodepool %.*s ask for%s%.*s",
                 SLICE_ARG(explain_pool_name(e)), culprit.len ? ": none is left by " : "", SLICE_ARG(culprit));
}

// Fails since no type of the pool is suitable, whatever limits and minValues are.
static bool fail_types(Explanation *e, const Criteria *criteria) {
    if (criteria->labels && !criteria->offering)
        EXPLAIN_MISS(e, "no offering of a fitting type is available in the zones and capacity types asked for");
    else if (!criteria->labels)
        miss_labels(e);
    else
        nearest_type(e);
    return explain_fail(e, CHECK_TYPES, e->reason->subject);
}

// Fails for the first of limits, host ports and minValues that leaves none of the rows that are suitable for the pod.
static bool fail_left_types(Explanation *e, const uint64_t *fitting, const uint64_t *affordable) {
    uint32_t words = e->pool->table->words;
    uint64_t *rows = arena_copy(e->solver->arena, fitting, words * sizeof *rows);

    if (!bitset_and(rows, affordable, words)) {
        explain_nearest_limit(e, fitting);
        return explain_fail(e, CHECK_LIMITS, e->reason->subject);
    }
    pool_drop_port_conflicts(e->pool, e->class->ports, rows);
    if (bitset_is_empty(rows, words)) {
        EXPLAIN_MISS(e, "a daemon on every type of nodepool %.*s uses the pod's host port",
                     SLICE_ARG(explain_pool_name(e)));
        return explain_fail(e, CHECK_HOST_PORTS, NAME_EMPTY);
    }
    EXPLAIN_MISS(e, "lower minValues of nodepool %.*s or widen what the pod allows", SLICE_ARG(explain_pool_name(e)));
    return explain_fail(e, CHECK_MIN_VALUES, e->pool->min_values.items[0].key);
}

bool explain_types(Explanation *e) {
    Solver *solver = e->solver;
    const LabelState *state = label_state_at(&solver->states, e->state);
    uint32_t words = e->pool->table->words;
    uint64_t *fitting = arena_copy(solver->arena, state->rows, (words + 1) * sizeof *fitting);
    uint64_t *affordable = affordable_rows(e), *left;
    bool any =
        !bitset_is_empty(fitting, words) && room_fit(e->pool->room, solver->zero, e->class->requests, 1, fitting);
    SliceVec unmet;
    Criteria criteria;

    if (!any)
        memset(fitting, 0, words * sizeof *fitting);
    left = arena_copy(solver->arena, fitting, (words + 1) * sizeof *left);
    bitset_and(left, affordable, words);
    pool_drop_port_conflicts(e->pool, e->class->ports, left);
    unmet = unmet_min_values(e, left);
    if (!bitset_is_empty(left, words) && !unmet.count)
        return false;
    bitset_copy(left, affordable, words);
    pool_drop_port_conflicts(e->pool, e->class->ports, left);
    criteria = judge_rows(e, state->row, left);
    append_types_text(e, &unmet, &criteria);
    return any ? fail_left_types(e, fitting, affordable) : fail_types(e, &criteria);
}
