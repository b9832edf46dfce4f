// Families of claims: for each pool its zones, capacity types, reservations and the values of its open labels.
//
// A claim that is valid whatever is launched for it stays valid, at no higher price, if its requirements leave one
// offering only; so one way per claim is enough, except for pools with minValues. The families are written as a plan
// and read by the checker's reader, so that their labels are those that the checker uses.
#include "exact/problem.h"

#include "text/json.h"

typedef struct {
    Symbol key;
    bool is_pinned, is_missing, may_miss;
    U32Vec values;
} Pin;
typedef Vec(Pin) PinVec;

typedef struct {
    Problem *problem;
    const Pool *pool;
    Buffer text;
    PinVec pins;
    Symbol zone_key, capacity_key, reservation_key;
    U32Vec zones, capacity_types, reservations; // that the pool could launch
    Vec(bool) wants_values;                     // by family written
} FamilyMaking;

// ---- requirements as text

static void write_values(FamilyMaking *making, const U32Vec *values) {
    buffer_append(&making->text, SLICE(",\"values\":["));
    for (uint32_t i = 0; i < values->count; i++) {
        if (i)
            buffer_append_char(&making->text, ',');
        json_print_string(&making->text, judge_text(&making->problem->world, values->items[i]));
    }
    buffer_append(&making->text, SLICE("]"));
}

static void write_requirement(FamilyMaking *making, Symbol key, const char *op, const U32Vec *values) {
    buffer_append(&making->text, SLICE(",{\"key\":"));
    json_print_string(&making->text, judge_text(&making->problem->world, key));
    buffer_printf(&making->text, ",\"operator\":\"%s\"", op);
    if (values)
        write_values(making, values);
    buffer_append(&making->text, SLICE("}"));
}

static void write_bound(FamilyMaking *making, Symbol key, const char *op, int64_t bound) {
    buffer_append(&making->text, SLICE(",{\"key\":"));
    json_print_string(&making->text, judge_text(&making->problem->world, key));
    buffer_printf(&making->text, ",\"operator\":\"%s\",\"values\":[\"%lld\"]}", op, (long long)bound);
}

static void write_states(FamilyMaking *making, Symbol key, const LabelStates *states) {
    if (!states->others && states->values.count)
        return write_requirement(making, key, "In", &states->values);
    if (!states->others)
        return write_requirement(making, key, "DoesNotExist", NULL);
    if (states->values.count)
        write_requirement(making, key, "NotIn", &states->values);
    if (!states->missing)
        write_requirement(making, key, "Exists", NULL);
    if (states->least != INT64_MIN)
        write_bound(making, key, "Gte", states->least);
    if (states->most != INT64_MAX)
        write_bound(making, key, "Lte", states->most);
}

static void write_pins(FamilyMaking *making) {
    for (vec_each(Pin, pin, &making->pins)) {
        if (pin->is_pinned)
            write_requirement(making, pin->key, pin->is_missing ? "DoesNotExist" : "In",
                              pin->is_missing ? NULL : &pin->values);
    }
}

static void write_family(FamilyMaking *making, const U32Vec *zones, const U32Vec *capacity_types,
                         const U32Vec *reservation, bool wants_values) {
    Problem *problem = making->problem;
    World *world = &problem->world;

    if (making->wants_values.count == FAMILIES_MAX) {
        problem->too_large = "too many ways to pin a claim";
        return;
    }
    buffer_append(&making->text, making->wants_values.count ? SLICE(",{\"nodePool\":") : SLICE("{\"nodePool\":"));
    json_print_string(&making->text, judge_text(world, making->pool->name));
    buffer_append(&making->text, SLICE(",\"instanceTypes\":[],\"requests\":{},\"pods\":[],\"requirements\":["));
    buffer_append(&making->text, SLICE("{\"key\":\"topology.kubernetes.io/zone\",\"operator\":\"In\""));
    write_values(making, zones);
    buffer_append(&making->text, SLICE("}"));
    write_requirement(making, making->capacity_key, "In", capacity_types);
    if (reservation)
        write_requirement(making, making->reservation_key, "In", reservation);
    for (vec_each(KeyStates, entry, &making->pool->states)) {
        if (!judge_table_get(&making->pool->labels, entry->key))
            write_states(making, entry->key, &entry->states);
    }
    write_pins(making);
    buffer_append(&making->text, SLICE("]}"));
    vec_push(world->arena, &making->wants_values, wants_values);
}

// ---- what a pool can launch

static bool is_reserved(const Offering *offering) {
    return offering->reservation_capacity >= 0;
}

static void add_symbol(World *world, U32Vec *symbols, Symbol symbol) {
    if (!judge_symbols_contain(symbols, symbol))
        vec_push(world->arena, symbols, symbol);
}

static void find_offerings(FamilyMaking *making) {
    World *world = &making->problem->world;

    making->zones = making->capacity_types = making->reservations = (U32Vec){0};
    for (vec_each(Type, type, &world->types)) {
        for (vec_each(Offering, offering, &type->offerings)) {
            if (!judge_offering_is_launchable(world, &making->pool->states, offering))
                continue;
            if (is_reserved(offering)) {
                add_symbol(world, &making->reservations, offering->reservation);
                continue;
            }
            add_symbol(world, &making->zones, offering->zone);
            add_symbol(world, &making->capacity_types, offering->capacity_type);
        }
    }
}

static void write_reserved(FamilyMaking *making, bool wants_values) {
    World *world = &making->problem->world;
    Symbol reserved = judge_symbol(world, "reserved");

    for (uint32_t i = 0; i < making->reservations.count; i++) {
        U32Vec zones = {0}, id = {0}, capacity_type = {0};

        vec_push(world->arena, &id, making->reservations.items[i]);
        vec_push(world->arena, &capacity_type, reserved);
        for (vec_each(Type, type, &world->types)) {
            for (vec_each(Offering, offering, &type->offerings)) {
                if (is_reserved(offering) && offering->reservation == id.items[0])
                    add_symbol(world, &zones, offering->zone);
            }
        }
        write_family(making, &zones, &capacity_type, &id, wants_values);
    }
}

static U32Vec subset(World *world, const U32Vec *all, uint32_t bits) {
    U32Vec some = {0};

    for (uint32_t i = 0; i < all->count; i++) {
        if (bits >> i & 1)
            vec_push(world->arena, &some, all->items[i]);
    }
    return some;
}

static void write_pinned(FamilyMaking *making, bool wants_values) {
    World *world = &making->problem->world;

    if (making->zones.count > 8) {
        making->problem->too_large = "too many zones";
        return;
    }
    for (uint32_t z = 1; z < 1U << making->zones.count; z++) {
        for (uint32_t c = 1; c < 1U << making->capacity_types.count; c++) {
            U32Vec zones = subset(world, &making->zones, z), capacity_types = subset(world, &making->capacity_types, c);

            if (wants_values || (zones.count == 1 && capacity_types.count == 1))
                write_family(making, &zones, &capacity_types, NULL, wants_values);
        }
    }
    write_reserved(making, wants_values);
}

// ---- labels that a pool does not decide

static void collect_expressions(World *world, const ExpressionVec *expressions, Symbol key, U32Vec *values) {
    for (vec_each(const Expression, expression, expressions)) {
        const LabelStates *states = &expression->states;
        int64_t bounds[] = {states->least, states->most, states->least - (states->least > INT64_MIN),
                            states->most + (states->most < INT64_MAX)};

        if (expression->key != key)
            continue;
        for (uint32_t i = 0; i < states->values.count; i++)
            add_symbol(world, values, states->values.items[i]);
        for (size_t i = 0; i < 4; i++) {
            if (bounds[i] > INT64_MIN && bounds[i] < INT64_MAX)
                add_symbol(world, values,
                           symbol_intern(&world->symbols, arena_printf(world->arena, "%lld", (long long)bounds[i])));
        }
    }
}

// The values of a key that anything mentions, and one beside each bound.
static U32Vec mentioned_values(Problem *problem, Symbol key, bool *ret_any) {
    World *world = &problem->world;
    U32Vec values = {0};
    uint32_t topology = 0;

    for (uint32_t i = 0; i < problem->items.count; i++) {
        const PodClass *class = item_class(problem, i);

        for (vec_each(const Label, label, &class->node_selector)) {
            if (label->key == key)
                add_symbol(world, &values, label->value);
        }
        for (vec_each(const NodeTerm, term, &class->terms))
            collect_expressions(world, &term->expressions, key, &values);
        for (vec_each(const PodVolume, volume, &problem->items.items[i].pod->volumes)) {
            for (vec_each(const NodeTerm, term, &volume->terms))
                collect_expressions(world, &term->expressions, key, &values);
        }
        for (vec_each(const NodeTerm, term, &class->terms)) {
            for (vec_each(const Expression, expression, &term->expressions))
                topology += expression->key == key; // Exists and DoesNotExist name no value
        }
    }
    topology += judge_symbols_contain(&problem->keys, key);
    *ret_any = values.count + topology > 0;
    return values;
}

static bool is_decided_by_offering(const FamilyMaking *making, Symbol key) {
    return key == making->zone_key || key == making->capacity_key || key == making->reservation_key;
}

// Values of a label of which some type has several.
static U32Vec open_type_values(World *world, const LabelStates *allowed, Symbol key) {
    U32Vec values = {0};

    for (vec_each(Type, type, &world->types)) {
        for (vec_each(Offering, offering, &type->offerings)) {
            const LabelStates *states = judge_table_get(&offering->states, key);

            for (uint32_t i = 0; states && states->values.count > 1 && i < states->values.count; i++) {
                if (!states->others &&
                    (!allowed || judge_states_have(&world->symbols, allowed, states->values.items[i])))
                    add_symbol(world, &values, states->values.items[i]);
            }
        }
    }
    return values;
}

// Values of a label that only the pool defines.
static U32Vec open_pool_values(World *world, const LabelStates *states, const U32Vec *mentioned) {
    U32Vec values = {0};

    for (uint32_t i = 0; !states->others && i < states->values.count; i++)
        add_symbol(world, &values, states->values.items[i]);
    for (uint32_t i = 0; i < mentioned->count; i++) {
        if (judge_states_have(&world->symbols, states, mentioned->items[i]))
            add_symbol(world, &values, mentioned->items[i]);
    }
    return values;
}

static void find_pin(FamilyMaking *making, Symbol key) {
    Problem *problem = making->problem;
    World *world = &problem->world;
    const LabelStates *states = judge_table_get(&making->pool->states, key);
    bool of_types = judge_symbols_contain(&world->type_keys, key), any;
    U32Vec mentioned = mentioned_values(problem, key, &any);
    Pin pin = {.key = key};

    for (vec_each(Pin, known, &making->pins))
        any = any && known->key != key;
    if (!any || is_decided_by_offering(making, key) || (states && judge_states_only_value(states) != INDEX_NONE))
        return;
    pin.values = of_types ? open_type_values(world, states, key) : open_pool_values(world, states, &mentioned);
    pin.may_miss = !of_types && states->missing;
    if (pin.values.count || pin.may_miss)
        vec_push(world->arena, &making->pins, pin);
}

static void find_pins(FamilyMaking *making) {
    const World *world = &making->problem->world;

    making->pins = (PinVec){0};
    for (vec_each(const KeyStates, entry, &making->pool->states))
        find_pin(making, entry->key);
    for (uint32_t i = 0; i < world->type_keys.count; i++)
        find_pin(making, world->type_keys.items[i]);
}

// Every combination of one value, no label, or any value that the pool allows, for each open label.
static void write_combinations(FamilyMaking *making, uint32_t at, bool wants_values) {
    World *world = &making->problem->world;
    Pin *pin, all;

    if (at == making->pins.count)
        return write_pinned(making, wants_values);
    pin = &making->pins.items[at];
    all = *pin;
    write_combinations(making, at + 1, wants_values);
    pin->is_pinned = true;
    for (uint32_t i = 0; i < all.values.count; i++) {
        pin->values = (U32Vec){0};
        vec_push(world->arena, &pin->values, all.values.items[i]);
        write_combinations(making, at + 1, wants_values);
    }
    if (all.may_miss) {
        pin->is_missing = true;
        write_combinations(making, at + 1, wants_values);
    }
    *pin = all;
}

static bool wants_values(const World *world, const Pool *pool) {
    for (vec_each(const Expression, expression, &pool->requirements)) {
        if (expression->min_values > 0 && !world->best_effort_min_values)
            return true;
    }
    return false;
}

static void write_pool(FamilyMaking *making) {
    const Problem *problem = making->problem;
    const Amounts *left = &problem->limits_left[making->pool - problem->world.pools.items];

    for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
        if (amounts_has(left, i) && left->of[i] < 0)
            return;
    }
    if (making->pool->is_static || !making->pool->is_ready)
        return;
    find_offerings(making);
    find_pins(making);
    write_combinations(making, 0, wants_values(&problem->world, making->pool));
}

// ---- ways

// Whether a daemon counts on an offering: one that certainly runs there, or one that may come to the type.
static bool counts_daemon(Problem *problem, const Family *family, const DaemonSet *daemon_set, const Way *way) {
    Shape shape = {&family->claim->states, &way->offering->states, NULL};

    return judge_daemon_runs_on_new(&problem->world, daemon_set, family->claim->pool, &shape) ||
           (problem->question->plans != EXACT_ALL_VALID &&
            judge_daemon_may_run_on(&problem->world, daemon_set, family->claim->pool, way->type));
}

static void add_daemons(Problem *problem, const Family *family, Way *way) {
    World *world = &problem->world;

    for (vec_each(DaemonSet, daemon_set, &world->daemon_sets)) {
        const PodClass *daemon = &world->classes.items[daemon_set->class_index];

        if (!counts_daemon(problem, family, daemon_set, way))
            continue;
        judge_amounts_add(&way->daemons, &daemon->requests);
        for (uint32_t i = 0; i < problem->items.count; i++) {
            if (judge_ports_conflict(world, &item_class(problem, i)->ports, &daemon->ports))
                way->accepts &= ~(UINT32_C(1) << i);
        }
    }
}

static bool prefers_others(const World *world, const PodClass *class, const TaintVec *taints) {
    for (vec_each(const Taint, taint, taints)) {
        if (taint->effect == EFFECT_PREFER_NO_SCHEDULE && !judge_taint_is_tolerated(world, class, taint))
            return true;
    }
    return false;
}

static void add_way(Problem *problem, Family *family, const Type *type, const Offering *offering) {
    World *world = &problem->world;
    Shape shape = {&family->claim->states, &offering->states, NULL};
    Way way = {.type = type, .offering = offering, .accepts = (UINT32_C(1) << problem->items.count) - 1};

    add_daemons(problem, family, &way);
    way.cell = exact_way_cell(problem, family, offering);
    way.accepts &= ~exact_kept_out(problem, way.cell, INDEX_NONE);
    for (uint32_t i = 0; i < problem->items.count; i++) {
        const PodClass *class = item_class(problem, i);
        Amounts requests = way.daemons;

        judge_amounts_add(&requests, &class->requests);
        if (judge_resource_short(&requests, &offering->allocatable) < RESOURCE_MAX ||
            judge_taint_in_the_way(world, class, &family->claim->pool->taints) ||
            !judge_class_holds_on(world, class, &shape) ||
            !judge_volumes_hold_on(world, &problem->items.items[i].pod->volumes, &shape))
            way.accepts &= ~(UINT32_C(1) << i);
        else if (prefers_others(world, class, &family->claim->pool->taints))
            way.soft |= UINT32_C(1) << i;
    }
    family->soft |= way.soft;
    if (way.accepts || family->wants_values)
        vec_push(world->arena, &family->ways, way);
}

static void find_ways(Problem *problem, Family *family) {
    World *world = &problem->world;

    for (vec_each(Type, type, &world->types)) {
        for (vec_each(Offering, offering, &type->offerings)) {
            if (judge_offering_is_launchable(world, &family->claim->states, offering))
                add_way(problem, family, type, offering);
        }
    }
}

ErrCode exact_make_families(Problem *problem, Err *err) {
    World *world = &problem->world;
    FamilyMaking making = {.problem = problem,
                           .zone_key = judge_symbol(world, "topology.kubernetes.io/zone"),
                           .capacity_key = judge_symbol(world, "karpenter.sh/capacity-type"),
                           .reservation_key = judge_symbol(world, "karpenter.k8s.aws/capacity-reservation-id")};
    ParseOptions options = {0};
    WarningVec warnings = {0};
    DocumentVec documents = {0};
    ErrCode code;

    buffer_append(&making.text, SLICE("{\"nodeClaims\":["));
    for (vec_each(Pool, pool, &world->pools)) {
        making.pool = pool;
        write_pool(&making);
    }
    buffer_append(&making.text, SLICE("],\"existingNodes\":[],\"unschedulable\":[],\"price\":{\"perHour\":0}}"));
    code =
        json_parse(world->arena, SLICE("families"), buffer_slice(&making.text), &options, &documents, &warnings, err);
    buffer_free(&making.text);
    TRY(code);
    TRY(judge_read_plan(world, &documents.items[0].root, err));
    for (vec_each(const Claim, claim, &world->claims)) {
        uint32_t index = (uint32_t)(claim - world->claims.items);
        const Value *written = judge_read_list(&documents.items[0].root, "nodeClaims");
        Family family = {.claim = claim,
                         .wants_values = making.wants_values.items[index],
                         .requirements = judge_read_list(&written->list.items[index], "requirements")};

        find_ways(problem, &family);
        if (family.ways.count)
            vec_push(world->arena, &problem->families, family);
    }
    return OK;
}

// ---- claims that list many types

static bool holds(Problem *problem, const Way *way, uint32_t content, const Amounts *pods) {
    Amounts requests = *pods;

    judge_amounts_add(&requests, &way->daemons);
    return (content_items(problem, content) & ~way->accepts) == 0 &&
           judge_resource_short(&requests, &way->offering->allocatable) == RESOURCE_MAX;
}

static bool is_within(const Amounts *amounts, const Amounts *box) {
    for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
        if (amounts_has(box, i) && i != RESOURCE_NODES && amounts->of[i] > box->of[i])
            return false;
    }
    return true;
}

// Whether the type can hold the content: a launch does not use offerings without enough room if others have it.
static bool type_holds(Problem *problem, const Way *ways, uint32_t count, uint32_t content, const Amounts *box,
                       bool *used) {
    Amounts pods = content_requests(problem, content);
    bool any = false, all = true;

    for (uint32_t i = 0; i < count; i++) {
        Amounts requests = pods;

        judge_amounts_add(&requests, &ways[i].daemons);
        used[i] = !problem->world.has_overrides ||
                  judge_resource_short(&requests, &ways[i].offering->allocatable) == RESOURCE_MAX;
        any |= used[i];
        all = all && (!used[i] || (holds(problem, &ways[i], content, &pods) &&
                                   (!box || is_within(&ways[i].offering->capacity, box))));
    }
    return any && all && !exact_volumes_exceed(problem, content, &ways->type->volume_limits, NULL);
}

static int launch_rank(const World *world, const Way *way) {
    return is_reserved(way->offering)                                               ? 0
           : slice_eq_text(judge_text(world, way->offering->capacity_type), "spot") ? 1
                                                                                    : 2;
}

static void add_launchable(Problem *problem, const Way *ways, uint32_t count, const bool *used,
                           Launchable *launchable) {
    const World *world = &problem->world;

    vec_push(world->arena, &launchable->types, ways->type);
    for (uint32_t i = 0; i < count; i++) {
        const Way *way = &ways[i], *choice = launchable->choice;

        if (!used[i])
            continue;
        judge_amounts_raise(&launchable->charge, &way->offering->capacity);
        launchable->cell = choice ? exact_joint_cell(problem, launchable->cell, way->cell) : way->cell;
        if (!choice || launch_rank(world, way) < launch_rank(world, choice) ||
            (launch_rank(world, way) == launch_rank(world, choice) &&
             way->offering->price_per_hour < choice->offering->price_per_hour))
            launchable->choice = way;
    }
}

static uint32_t distinct_values(World *world, const Launchable *launchable, Symbol key) {
    U32Vec values = {0};

    for (uint32_t i = 0; i < launchable->types.count; i++) {
        const LabelStates *states = judge_table_get(&launchable->types.items[i]->states, key);

        for (uint32_t v = 0; states && !states->others && v < states->values.count; v++)
            add_symbol(world, &values, states->values.items[v]);
    }
    return values.count;
}

bool exact_launchable(Problem *problem, const Family *family, uint32_t content, const Amounts *box,
                      Launchable *ret_launchable) {
    World *world = &problem->world;
    Launchable launchable = {0};

    for (uint32_t first = 0, next; first < family->ways.count; first = next) {
        const Way *ways = &family->ways.items[first];
        bool used[64];

        for (next = first + 1; next < family->ways.count && family->ways.items[next].type == ways->type;)
            next++;
        CHECK(next - first <= 64, "more than 64 offerings of a type");
        if (type_holds(problem, ways, next - first, content, box, used))
            add_launchable(problem, ways, next - first, used, &launchable);
    }
    if (!launchable.choice)
        return false;
    for (vec_each(const Expression, expression, &family->claim->pool->requirements)) {
        if (expression->min_values > 0 && distinct_values(world, &launchable, expression->key) < expression->min_values)
            return false;
    }
    launchable.charge.of[RESOURCE_NODES] = 1;
    launchable.price = launchable.choice->offering->price_per_hour;
    *ret_launchable = launchable;
    return true;
}
