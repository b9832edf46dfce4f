// Why a class fits nowhere: for each pool the first check that fails, as data and as Karpenter's text, and the
// nearest miss. Runs only for classes that were left over. Texts: reference scheduling.md 5.5 and 5.6.
#include "sched/solver.h"

#include "base/buffer.h"

#include <stdlib.h>

const char *check_text(Check check) {
    static const char *const texts[] = {
        [CHECK_NONE] = "none",
        [CHECK_POOL] = "pool",
        [CHECK_LIMIT_NODES] = "limits.nodes",
        [CHECK_LIMITS] = "limits",
        [CHECK_TAINTS] = "taints",
        [CHECK_REQUIREMENTS] = "requirements",
        [CHECK_VOLUMES] = "volumes",
        [CHECK_TOPOLOGY] = "topology",
        [CHECK_MIN_VALUES] = "minValues",
        [CHECK_HOST_PORTS] = "hostPorts",
        [CHECK_VOLUME_LIMITS] = "volumeLimits",
        [CHECK_RESERVED] = "reserved",
        [CHECK_TYPES] = "instanceTypes",
    };

    return texts[check];
}

typedef struct {
    Solver *solver;
    const PodClass *class;
    const Variant *variant;
    const Pool *pool;
    Requirements pod; // of the variant in force
    uint32_t state;   // of a new claim after the pod's own requirements
    Reason *reason;
    Buffer text;
} Explanation;

static Slice text_of(const Explanation *e, Symbol symbol) {
    return symbol_text(e->solver->universe.symbols, symbol);
}

static Slice pool_name(const Explanation *e) {
    return text_of(e, e->pool->pool->meta.name);
}

static bool fail(Explanation *e, Check check, Symbol subject) {
    e->reason->check = check;
    e->reason->subject = subject;
    e->reason->text = arena_slice(e->solver->result, buffer_slice(&e->text));
    return true;
}

#define MISS(e, ...) ((e)->reason->nearest_miss = arena_printf((e)->solver->result, __VA_ARGS__))

// --- what the pod asks of labels ------------------------------------------------------------------------------------

static void add_expressions(Explanation *e, const ExpressionVec *expressions) {
    Solver *solver = e->solver;

    for (vec_each(Expression, expression, expressions)) {
        Requirement requirement = requirement_make(solver->arena, solver->universe.symbols, expression);

        requirements_add(solver->arena, solver->universe.symbols, &e->pod, &requirement);
    }
}

static void make_pod_requirements(Explanation *e) {
    Solver *solver = e->solver;
    const PodSpec *spec = e->class->pod->spec;

    for (uint32_t i = 0; i < spec->node_selector.count; i++) {
        Symbol key = label_key_normalize(solver->universe.symbols, spec->node_selector.items[i].key);
        Requirement requirement = requirement_in(solver->arena, key, spec->node_selector.items[i].value);

        requirements_add(solver->arena, solver->universe.symbols, &e->pod, &requirement);
    }
    if (e->variant->term != INDEX_NONE)
        add_expressions(e, &spec->required_node_terms.items[e->variant->term].expressions);
    if (e->variant->preferred != INDEX_NONE)
        add_expressions(e, &spec->preferred_node_terms.items[e->variant->preferred].expressions);
}

// --- pool, limits, taints -------------------------------------------------------------------------------------------

static bool explain_pool(Explanation *e) {
    bool reserved_only = e->pool->open_state == STATE_NONE && e->solver->reservations.count;

    if (e->pool->min_values_unmet || (e->pool->open_state == STATE_NONE && !reserved_only)) {
        buffer_printf(&e->text, "nodepool requirements filtered out all available instance types");
        if (e->pool->min_values_unmet)
            MISS(e, "lower minValues of nodepool %.*s", SLICE_ARG(pool_name(e)));
        else
            MISS(e, "no instance type meets the requirements of nodepool %.*s: widen them", SLICE_ARG(pool_name(e)));
        return fail(e, CHECK_POOL, NAME_EMPTY);
    }
    if (e->pool->nodes_left <= 0) {
        buffer_printf(&e->text, "node limits have been exhausted for nodepool (NodePool=%.*s)",
                      SLICE_ARG(pool_name(e)));
        e->reason->needed = 1;
        MISS(e, "raise limit nodes of nodepool %.*s by 1", SLICE_ARG(pool_name(e)));
        return fail(e, CHECK_LIMIT_NODES, NAME_NODES);
    }
    return false;
}

// How much the limits would have to grow for a row: the resource with the largest share missing.
static int64_t missing_limit(const Explanation *e, uint32_t row, uint32_t *ret_dim) {
    const Pool *pool = e->pool;
    int64_t worst = 0;

    for (uint32_t dim = 0; dim < pool->room->dims; dim++) {
        int64_t missing;

        if (pool->left[dim] == INT64_MAX)
            continue;
        missing = pool->table->capacity[(size_t)row * pool->room->dims + dim] - pool->left[dim];
        if (missing > worst) {
            worst = missing;
            *ret_dim = dim;
        }
    }
    return worst;
}

static bool limits_leave_a_type(const Explanation *e, uint64_t *rows) {
    const State *state =
        state_at(&e->solver->states, e->pool->open_state == STATE_NONE ? e->pool->full_state : e->pool->open_state);

    bitset_copy(rows, state->rows, e->pool->table->words);
    pool_limit_rows(e->pool, rows);
    return !bitset_is_empty(rows, e->pool->table->words);
}

// The row that would fit the pod with the least more of a limit.
static void nearest_limit(Explanation *e, const uint64_t *rows) {
    int64_t best = INT64_MAX;
    uint32_t best_dim = INDEX_NONE;

    for (bitset_each(row, rows, e->pool->table->words)) {
        uint32_t dim = 0;
        int64_t missing = missing_limit(e, row, &dim);

        if (missing > 0 && missing < best) {
            best = missing;
            best_dim = dim;
        }
    }
    if (best_dim == INDEX_NONE)
        return;
    e->reason->subject = e->solver->classes.dimensions.resources[best_dim];
    e->reason->needed = best;
    MISS(e, "raise limit %.*s of nodepool %.*s by %.*s", SLICE_ARG(text_of(e, e->reason->subject)),
         SLICE_ARG(pool_name(e)), SLICE_ARG(resource_print(e->solver->arena, e->reason->subject, best)));
}

static bool explain_limits(Explanation *e) {
    Solver *solver = e->solver;
    uint64_t *rows = solver->fresh_rows;
    uint32_t state;

    if (!e->pool->limited || limits_leave_a_type(e, rows))
        return false;
    buffer_printf(&e->text, "all available instance types exceed limits for nodepool (NodePool=%.*s)",
                  SLICE_ARG(pool_name(e)));
    state = state_step(&solver->states, e->pool->full_state, e->variant->labels);
    if (state != STATE_NONE) {
        bitset_copy(rows, state_at(&solver->states, state)->rows, e->pool->table->words);
        if (room_fit(e->pool->room, solver->zero, e->class->requests, rows))
            nearest_limit(e, rows);
    }
    return fail(e, CHECK_LIMITS, e->reason->subject);
}

static bool explain_taints(Explanation *e) {
    const TolerationVec *tolerations = &e->solver->classes.tolerations.items[e->variant->tolerations];
    const Symbols *symbols = e->solver->universe.symbols;
    Symbol first = NAME_EMPTY;
    Buffer misses = {0};

    for (vec_each(Taint, taint, &e->pool->pool->template_spec.taints)) {
        Slice printed = taint_print(e->solver->arena, symbols, taint);

        if (taint_is_tolerated(symbols, taint, tolerations))
            continue;
        buffer_printf(&e->text, "%sdid not tolerate taint (taint=%.*s)", e->text.len ? "; " : "", SLICE_ARG(printed));
        buffer_printf(&misses, "%s%.*s", misses.len ? ", " : "", SLICE_ARG(printed));
        first = first == NAME_EMPTY ? taint->key : first;
    }
    if (first == NAME_EMPTY)
        return false;
    MISS(e, "add toleration %.*s to the pod", SLICE_ARG(buffer_slice(&misses)));
    buffer_free(&misses);
    return fail(e, CHECK_TAINTS, first);
}

// --- requirements ---------------------------------------------------------------------------------------------------

// A key that looks like a misspelling of `key`: one that contains it, or ends like it. scheduling.md 2.4.
static Slice typo_hint(const Explanation *e, Slice key) {
    const Universe *universe = &e->solver->universe;
    ptrdiff_t slash = slice_find(key, '/');
    Slice suffix = slash >= 0 ? slice_from(key, (size_t)slash + 1) : key;
    static const Symbol core[] = {NAME_ARCH,          NAME_OS,       NAME_INSTANCE_TYPE, NAME_REGION, NAME_ZONE,
                                  NAME_CAPACITY_TYPE, NAME_NODEPOOL, NAME_WINDOWS_BUILD};

    for (size_t i = 0; i < sizeof core / sizeof *core + e->pool->requirements.count; i++) {
        size_t known = sizeof core / sizeof *core;
        Slice other = symbol_text(universe->symbols, i < known ? core[i] : e->pool->requirements.items[i - known].key);

        if (!slice_eq(other, key) && (slice_contains(other, key) || slice_ends_with(other, suffix)))
            return other;
    }
    return (Slice){0};
}

static void explain_key(Explanation *e, const char *prefix, const Requirements *asked, uint32_t index) {
    const Universe *universe = &e->solver->universe;
    const LabelKey *key = &universe->keys.items[index];
    const Requirement *want = requirements_get(asked, key->key);
    const Requirement *have = requirements_get(&e->pool->requirements, key->key);
    Slice name = text_of(e, key->key),
          want_text = want ? requirement_print(e->solver->arena, universe->symbols, want) : name;

    buffer_printf(&e->text, "%s", e->text.len ? "; " : prefix);
    if (!have && !pool_knows_key(e->pool, universe, index)) {
        Slice hint = typo_hint(e, name);

        buffer_printf(&e->text, "label \"%.*s\" does not have known values", SLICE_ARG(name));
        if (!slice_is_empty(hint))
            buffer_printf(&e->text, " (typo of \"%.*s\"?)", SLICE_ARG(hint));
        MISS(e, "add requirement %.*s to nodepool %.*s", SLICE_ARG(want_text), SLICE_ARG(pool_name(e)));
    } else {
        Slice have_text = have ? requirement_print(e->solver->arena, universe->symbols, have) : name;

        buffer_printf(&e->text, "key %.*s, %.*s not in %.*s", SLICE_ARG(name), SLICE_ARG(want_text),
                      SLICE_ARG(have_text));
        MISS(e, "the pod wants %.*s, nodepool %.*s gives %.*s", SLICE_ARG(want_text), SLICE_ARG(pool_name(e)),
             SLICE_ARG(have_text));
    }
    if (e->reason->subject == NAME_EMPTY)
        e->reason->subject = key->key;
}

static int compare_keys(const void *a, const void *b, void *context) {
    const Universe *universe = context;

    return symbol_cmp(universe->symbols, universe->keys.items[*(const uint32_t *)a].key,
                      universe->keys.items[*(const uint32_t *)b].key);
}

// Names every key of a set that leaves the row nothing, in the order of the keys' texts.
static bool explain_set(Explanation *e, const char *prefix, const uint64_t *row, LabelSetId id,
                        const Requirements *asked) {
    Universe *universe = &e->solver->universe;
    const LabelSet *set = label_set(universe, id);
    U32Vec keys = {0};

    for (uint32_t i = 0; i < set->count; i++) {
        const LabelKey *key = &universe->keys.items[set->keys[i]];

        if (!bitset_intersects(row + key->first_word, set->masks[i], key->words))
            vec_push(e->solver->arena, &keys, set->keys[i]);
    }
    if (keys.count)
        qsort_r(keys.items, keys.count, sizeof *keys.items, compare_keys, universe);
    for (vec_each(uint32_t, key, &keys))
        explain_key(e, prefix, asked, *key);
    return e->text.len > 0;
}

static bool explain_requirements(Explanation *e) {
    if (!explain_set(e, "incompatible requirements, ", e->pool->template_row, e->variant->labels, &e->pod))
        return false;
    return fail(e, CHECK_REQUIREMENTS, e->reason->subject);
}

static bool explain_volumes(Explanation *e) {
    Solver *solver = e->solver;
    const PodClass *class = e->class;
    uint64_t *row = arena_copy(solver->arena, e->pool->template_row, (solver->universe.row_words + 1) * sizeof *row);

    if (!class->volume_alternatives.count)
        return false;
    row_narrow(&solver->universe, row, label_set(&solver->universe, e->variant->labels));
    for (vec_each(LabelSetId, alternative, &class->volume_alternatives)) {
        if (row_meets(&solver->universe, row, label_set(&solver->universe, *alternative)))
            return false;
    }
    explain_set(e, "incompatible volume requirements, ", row, *vec_last(&class->volume_alternatives),
                vec_last(&class->volume_requirements));
    return fail(e, CHECK_VOLUMES, e->reason->subject);
}

// How many volumes of a driver's dimension the pod attaches.
static int64_t volumes_of(const Explanation *e, uint32_t dim) {
    const Dimensions *dimensions = &e->solver->classes.dimensions;
    int64_t count = e->class->requests[dim];

    for (vec_each(Symbol, driver, &e->class->shared_drivers))
        count += dimension_of_driver(dimensions, *driver) == dim;
    return count;
}

// The pod has more volumes of a driver than any type of the pool attaches. changes-1.15.md 5.1.
static bool explain_volume_limits(Explanation *e) {
    const Dimensions *dimensions = &e->solver->classes.dimensions;
    const TypeTable *table = e->pool->table;
    const uint64_t *rows = state_at(&e->solver->states, e->pool->full_state)->rows;

    for (uint32_t dim = 0; dim < dimensions->count; dim++) {
        Slice driver = text_of(e, dimensions->drivers[dim]);
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
        MISS(e, "the pod has %lld volumes of %.*s, no type of nodepool %.*s attaches more than %lld", (long long)count,
             SLICE_ARG(driver), SLICE_ARG(pool_name(e)), (long long)most);
        return fail(e, CHECK_VOLUME_LIMITS, dimensions->drivers[dim]);
    }
    return false;
}

// --- instance types -------------------------------------------------------------------------------------------------

// Which rows meet which of the three criteria, and with which pair the third fails.
typedef struct {
    bool labels, fit, offering;
    bool labels_fit, labels_offering, fit_offering;
} Criteria;

// Only rows of `among` are asked. A type without a compatible offering has no room either: scheduling.md 3.4.
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
    if (!room_fit(e->pool->room, solver->zero, e->class->requests, fit))
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

// Requests with the daemons of a row.
static Resources with_daemons(const Explanation *e, uint32_t row) {
    Solver *solver = e->solver;
    const Room *room = e->pool->room;
    Resources sum = resources_copy(solver->arena, &e->class->request_list);

    for (uint32_t dim = 0; dim < room->dims; dim++) {
        Resources one = {0};

        if (!room->overhead[(size_t)row * room->dims + dim] || solver->classes.dimensions.resources[dim] == NAME_EMPTY)
            continue;
        resources_set(solver->arena, &one, solver->classes.dimensions.resources[dim],
                      room->overhead[(size_t)row * room->dims + dim]);
        resources_add(solver->arena, &sum, &one);
    }
    return sum;
}

// ", requirements=…, resources=…": the least and the most with daemons when groups differ.
static void append_asked(Explanation *e) {
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

// The resource of which even the roomiest type has too little, if there is one.
static void nearest_type(Explanation *e) {
    const Dimensions *dimensions = &e->solver->classes.dimensions;
    const Room *room = e->pool->room;
    const State *state = state_at(&e->solver->states, e->state);
    bool any = !bitset_is_empty(state->rows, e->pool->table->words);

    for (uint32_t dim = 0; dim < room->dims; dim++) {
        int64_t largest = 0, amount = e->class->requests[dim];
        Symbol resource = dimensions->resources[dim];

        for (uint32_t row = 0; row < e->pool->table->row_count; row++) {
            if ((!any || bitset_has(state->rows, row)) && room->free[(size_t)row * room->dims + dim] > largest)
                largest = room->free[(size_t)row * room->dims + dim];
        }
        if (amount <= largest)
            continue;
        e->reason->subject = resource == NAME_EMPTY ? dimensions->drivers[dim] : resource;
        e->reason->needed = amount;
        e->reason->nearest = largest;
        MISS(e, "the pod wants %.*s %.*s, the largest type has %.*s free after daemons",
             SLICE_ARG(resource_print(e->solver->arena, resource, amount)), SLICE_ARG(text_of(e, e->reason->subject)),
             SLICE_ARG(resource_print(e->solver->arena, resource, largest)));
        return;
    }
    MISS(e, "no single type has all that the pod wants: lower its requests or widen nodepool %.*s",
         SLICE_ARG(pool_name(e)));
}

// Rows within the limits that are left.
static uint64_t *affordable_rows(const Explanation *e) {
    uint64_t *rows = bitset_new(e->solver->arena, e->pool->table->row_count + 64);

    bitset_fill(rows, e->pool->table->row_count);
    pool_limit_rows(e->pool, rows);
    return rows;
}

// The rows without those whose daemons use a port of the pod.
static void drop_port_conflicts(const Explanation *e, uint64_t *rows) {
    const ClassTable *classes = &e->solver->classes;

    if (!e->class->ports)
        return;
    for (bitset_each(row, rows, e->pool->table->words)) {
        if (port_bits_conflict(classes, e->class->ports, e->pool->daemon_ports + (size_t)row * classes->port_words))
            bitset_clear(rows, row);
    }
}

static int compare_slices(const void *a, const void *b) {
    return slice_cmp(*(const Slice *)a, *(const Slice *)b);
}

// The keys of which the rows have too few values, by text; none when minValues are met or may be lowered.
static SliceVec unmet_min_values(const Explanation *e, const uint64_t *rows) {
    const MinValuesVec *rules = &e->pool->min_values;
    int32_t *counts = arena_array(e->solver->arena, int32_t, rules->count);
    SliceVec keys = {0};

    if (e->solver->input->min_values == MIN_VALUES_BEST_EFFORT)
        return keys;
    pool_min_values_met(e->pool, &e->solver->universe, state_at(&e->solver->states, e->state)->row, rows, NULL, counts);
    for (uint32_t i = 0; i < rules->count; i++) {
        if (counts[i] < rules->items[i].wanted)
            vec_push(e->solver->arena, &keys, text_of(e, rules->items[i].key));
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
        append_asked(e);
        return;
    }
    buffer_printf(&e->text, "%s", criteria_text(criteria));
    append_asked(e);
    if (criteria->labels && criteria->offering && !criteria->fit &&
        resources_get(&e->class->request_list, NAME_CPU) >= INT64_C(1000000) * 1000)
        buffer_printf(&e->text, " (CPU request >= 1 Million, m vs M typo?)");
}

// No type of the pool would do, limits and minValues aside.
static bool fail_types(Explanation *e, const Criteria *criteria) {
    if (criteria->labels && !criteria->offering)
        MISS(e, "no offering of a fitting type is available in the zones and capacity types asked for");
    else if (!criteria->labels)
        MISS(e, "no instance type has the labels that the pod and nodepool %.*s ask for", SLICE_ARG(pool_name(e)));
    else
        nearest_type(e);
    return fail(e, CHECK_TYPES, e->reason->subject);
}

// What stands in the way, of the rows that would do for the pod: the first of limits, ports and minValues that leaves
// none of them.
static bool fail_left_types(Explanation *e, const uint64_t *fitting, const uint64_t *affordable) {
    uint32_t words = e->pool->table->words;
    uint64_t *rows = arena_copy(e->solver->arena, fitting, words * sizeof *rows);

    if (!bitset_and(rows, affordable, words)) {
        nearest_limit(e, fitting);
        return fail(e, CHECK_LIMITS, e->reason->subject);
    }
    drop_port_conflicts(e, rows);
    if (bitset_is_empty(rows, words)) {
        MISS(e, "a daemon on every type of nodepool %.*s uses the pod's host port", SLICE_ARG(pool_name(e)));
        return fail(e, CHECK_HOST_PORTS, NAME_EMPTY);
    }
    MISS(e, "lower minValues of nodepool %.*s or widen what the pod allows", SLICE_ARG(pool_name(e)));
    return fail(e, CHECK_MIN_VALUES, e->pool->min_values.items[0].key);
}

static bool explain_types(Explanation *e) {
    Solver *solver = e->solver;
    const State *state = state_at(&solver->states, e->state);
    uint32_t words = e->pool->table->words;
    uint64_t *fitting = arena_copy(solver->arena, state->rows, (words + 1) * sizeof *fitting);
    uint64_t *affordable = affordable_rows(e), *left;
    bool any = !bitset_is_empty(fitting, words) && room_fit(e->pool->room, solver->zero, e->class->requests, fitting);
    SliceVec unmet;
    Criteria criteria;

    if (!any)
        memset(fitting, 0, words * sizeof *fitting);
    left = arena_copy(solver->arena, fitting, (words + 1) * sizeof *left);
    bitset_and(left, affordable, words);
    drop_port_conflicts(e, left);
    unmet = unmet_min_values(e, left);
    if (!bitset_is_empty(left, words) && !unmet.count)
        return false;
    bitset_copy(left, affordable, words);
    drop_port_conflicts(e, left);
    criteria = judge_rows(e, state->row, left);
    append_types_text(e, &unmet, &criteria);
    return any ? fail_left_types(e, fitting, affordable) : fail_types(e, &criteria);
}

// --- topology -------------------------------------------------------------------------------------------------------

typedef struct {
    Slice name;
    int32_t count;
} DomainCount;

static int compare_domains(const void *a, const void *b) {
    return slice_cmp(((const DomainCount *)a)->name, ((const DomainCount *)b)->name);
}

enum { DOMAINS_SHOWN = 25 };

// Whether a value of the group's key is a domain: some node has it, or a pool could open one that has.
static bool domain_exists(const Explanation *e, const TopologyGroup *group, uint32_t atom) {
    Solver *solver = e->solver;
    LabelSetId pin = state_pin_set(&solver->states, group->key, atom);

    if (group->most[atom] > 0 || bitset_has(group->supported, atom))
        return true;
    for (uint32_t i = 0; i < solver->node_count && group->kind != GROUP_SPREAD; i++) {
        const uint64_t *mask = state_key(&solver->states, solver->bins.items[i].state, group->key);

        if (bitset_has(mask, atom) && bitset_count(mask, group->words) == 1)
            return true;
    }
    for (vec_each(Pool, pool, &solver->pools)) {
        if (group->kind != GROUP_SPREAD && state_step(&solver->states, pool->full_state, pin) != STATE_NONE)
            return true;
    }
    return false;
}

static void append_counts(Explanation *e, const TopologyGroup *group) {
    const Universe *universe = &e->solver->universe;
    uint32_t total = group->key == INDEX_NONE ? e->solver->bins.count : universe->keys.items[group->key].value_count;
    DomainCount *counts = arena_array(e->solver->arena, DomainCount, total);
    uint32_t count = 0;

    for (uint32_t i = 0; i < total; i++) {
        if (group->key != INDEX_NONE && domain_exists(e, group, i))
            counts[count++] = (DomainCount){text_of(e, universe->keys.items[group->key].values[i]), group->most[i]};
        else if (group->key == INDEX_NONE && topology_on_bin(group, i) > 0)
            counts[count++] =
                (DomainCount){e->solver->bins.items[i].node ? text_of(e, e->solver->bins.items[i].node->hostname)
                                                            : arena_printf(e->solver->arena, "new-node-%u", i),
                              topology_on_bin(group, i)};
    }
    qsort(counts, count, sizeof *counts, compare_domains);
    for (uint32_t i = 0; i < count && i < DOMAINS_SHOWN; i++)
        buffer_printf(&e->text, "%s%.*s: %d", i ? ", " : "", SLICE_ARG(counts[i].name), counts[i].count);
    if (count > DOMAINS_SHOWN)
        buffer_printf(&e->text, " and %u other(s)", count - DOMAINS_SHOWN);
}

static void explain_group(Explanation *e, const TopologyGroup *group) {
    static const char *const kinds[] = {"topology spread", "pod affinity", "pod anti-affinity", "pod anti-affinity"};
    Solver *solver = e->solver;
    Expression exists = {.key = group->topology_key, .op = OP_EXISTS};
    Requirement any = requirement_make(solver->arena, solver->universe.symbols, &exists);
    const Requirement *pod = requirements_get(&e->pod, group->topology_key);
    const Requirement *node = requirements_get(&e->pool->requirements, group->topology_key);

    buffer_printf(&e->text, "unsatisfiable topology constraint for %s, key=%.*s (counts = ", kinds[group->kind],
                  SLICE_ARG(text_of(e, group->topology_key)));
    append_counts(e, group);
    buffer_printf(&e->text, ", podDomains = %.*s, nodeDomains = %.*s",
                  SLICE_ARG(requirement_print(solver->arena, solver->universe.symbols, pod ? pod : &any)),
                  SLICE_ARG(requirement_print(solver->arena, solver->universe.symbols, node ? node : &any)));
    MISS(e, "no %.*s is left where the pod's %s holds", SLICE_ARG(text_of(e, group->topology_key)), kinds[group->kind]);
}

static bool group_blocks(Explanation *e, const TopologyGroup *group, uint32_t number) {
    Solver *solver = e->solver;
    bool self = class_counts_for(e->class, number), blocked;
    uint64_t *mask;

    if (group->key == INDEX_NONE)
        return topology_bin_allowance(group, self, solver->bins.count, 1) == 0;
    mask = arena_copy(solver->arena, state_key(&solver->states, e->state, group->key), group->words * sizeof *mask);
    topology_allow(&solver->topology, group, self, mask);
    blocked = bitset_is_empty(mask, group->words);
    return blocked;
}

// The first group that leaves a new claim no domain.
static bool explain_topology(Explanation *e) {
    const U32Vec *lists[] = {&e->variant->groups, &e->class->avoided};

    for (int i = 0; i < 2; i++) {
        for (vec_each(uint32_t, number, lists[i])) {
            const TopologyGroup *group = &e->solver->topology.groups.items[*number];

            if (!group_blocks(e, group, *number))
                continue;
            explain_group(e, group);
            return fail(e, CHECK_TOPOLOGY, group->topology_key);
        }
    }
    return false;
}

// Each rule leaves a domain and some type would do: the rules exclude each other.
static bool explain_rules(Explanation *e) {
    const U32Vec *groups = e->variant->groups.count ? &e->variant->groups : &e->class->avoided;
    const TopologyGroup *group;

    if (!groups->count)
        return false;
    group = &e->solver->topology.groups.items[groups->items[0]];
    explain_group(e, group);
    return fail(e, CHECK_TOPOLOGY, group->topology_key);
}

// --- what remains ---------------------------------------------------------------------------------------------------

static bool explain_reserved(Explanation *e) {
    if (e->pool->open_state != STATE_NONE)
        return false;
    buffer_printf(&e->text,
                  "all compatible reserved offerings are full and no on-demand or spot fallback is available");
    MISS(e, "all reservations of nodepool %.*s are taken: allow on-demand or spot", SLICE_ARG(pool_name(e)));
    return fail(e, CHECK_RESERVED, NAME_CAPACITY_TYPE);
}

// The labels of a new claim after the pod's own requirements and those of its volumes (of several alternatives the
// last one: Karpenter reports that).
static void enter_claim(Explanation *e) {
    Solver *solver = e->solver;
    const PodClass *class = e->class;
    uint64_t *row = arena_copy(solver->arena, e->pool->template_row, (solver->universe.row_words + 1) * sizeof *row);

    row_narrow(&solver->universe, row, label_set(&solver->universe, e->variant->labels));
    if (class->volume_alternatives.count &&
        row_meets(&solver->universe, row, label_set(&solver->universe, *vec_last(&class->volume_alternatives))))
        row_narrow(&solver->universe, row, label_set(&solver->universe, *vec_last(&class->volume_alternatives)));
    e->state = state_intern(&solver->states, e->pool->table, row, true);
}

static void explain_in_pool(Explanation *e) {
    // The order is that of a new claim's checks.
    if (explain_pool(e) || explain_limits(e) || explain_taints(e) || explain_volume_limits(e) ||
        explain_requirements(e) || explain_volumes(e))
        return;
    enter_claim(e);
    if (explain_topology(e) || explain_types(e) || explain_reserved(e) || explain_rules(e))
        return;
    buffer_printf(&e->text, "no instance type met the requirements/resources/offering tuple");
    append_asked(e);
    MISS(e, "the pod's rules together leave no instance type of nodepool %.*s", SLICE_ARG(pool_name(e)));
    fail(e, CHECK_TYPES, NAME_EMPTY);
}

void solver_explain(Solver *solver, const PodClass *class, ReasonVec *ret_reasons, Slice *ret_message) {
    Buffer message = {0};
    Explanation e = {.solver = solver, .class = class, .variant = &class->variants.items[class->relaxations - 1]};

    make_pod_requirements(&e);
    for (vec_each(Pool, pool, &solver->pools)) {
        e.pool = pool;
        e.reason = vec_add(solver->result, ret_reasons);
        e.reason->pool = pool->pool->meta.name;
        explain_in_pool(&e);
        buffer_printf(&message, "%s%.*s", message.len ? "; " : "", SLICE_ARG(e.reason->text));
        buffer_free(&e.text);
    }
    if (!solver->pools.count)
        buffer_printf(&message, "no dynamic nodepools found");
    *ret_message = arena_slice(solver->result, buffer_slice(&message));
    buffer_free(&message);
}
