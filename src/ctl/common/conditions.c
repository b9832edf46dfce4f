// Status conditions and the root condition Ready. Behaviour: reference lifecycle.md 0.3.
#include "ctl/common/conditions.h"

#include "text/duration.h"

static const char *const claim_dependents[] = {"Launched", "Registered", "Initialized"};
static const char *const pool_dependents[] = {"ValidationSucceeded", "NodeClassReady"};

const ConditionRules claim_condition_rules = {claim_dependents, 3};
const ConditionRules pool_condition_rules = {pool_dependents, 2};

static Condition *find(Conditions *conditions, Symbol type) {
    for (vec_each(Condition, condition, &conditions->list)) {
        if (condition->type == type)
            return condition;
    }
    return NULL;
}

static Symbol intern(const Conditions *conditions, const char *text) {
    return symbol_intern(conditions->symbols, slice_of(text));
}

static bool is_dependent(const Conditions *conditions, Symbol type) {
    for (uint32_t i = 0; i < conditions->rules->count; i++) {
        if (intern(conditions, conditions->rules->dependents[i]) == type)
            return true;
    }
    return false;
}

// --- reading

const Condition *conditions_get(const Conditions *conditions, const char *type) {
    return condition_get(&conditions->list, conditions->symbols, slice_of(type));
}

static bool has_status(const Conditions *conditions, const char *type, const char *status) {
    const Condition *condition = conditions_get(conditions, type);

    return condition && slice_eq_text(symbol_text(conditions->symbols, condition->status), status);
}

bool conditions_is_true(const Conditions *conditions, const char *type) {
    return has_status(conditions, type, "True");
}

bool conditions_is_false(const Conditions *conditions, const char *type) {
    return has_status(conditions, type, "False");
}

bool conditions_is_unknown(const Conditions *conditions, const char *type) {
    return !conditions_get(conditions, type) || has_status(conditions, type, "Unknown");
}

// --- setting

// Sorts by transition time, Ready last; stable. The list is short: insertion sort.
static void sort_by_time(Conditions *conditions) {
    Symbol root = intern(conditions, CONDITION_READY);
    Condition *items = conditions->list.items;

    for (uint32_t i = 1; i < conditions->list.count; i++) {
        Condition moved = items[i];
        uint32_t at = i;

        for (; at > 0 && moved.type != root; at--) {
            if (items[at - 1].type != root && items[at - 1].transition_ns <= moved.transition_ns)
                break;
            items[at] = items[at - 1];
        }
        items[at] = moved;
    }
}

static bool is_same(const Condition *a, const Condition *b) {
    return a->status == b->status && a->reason == b->reason && slice_eq(a->message, b->message) &&
           a->transition_ns == b->transition_ns && a->observed_generation == b->observed_generation;
}

static void take_out(Conditions *conditions, Condition *condition) {
    Condition *last = vec_last(&conditions->list);

    memmove(condition, condition + 1, (size_t)(last - condition) * sizeof *condition);
    conditions->list.count--;
}

static bool put(Conditions *conditions, Condition wanted) {
    Condition *old = find(conditions, wanted.type);

    wanted.observed_generation = conditions->meta->generation;
    wanted.transition_ns = conditions->now_ns;
    if (!old && is_dependent(conditions, wanted.type))
        wanted.transition_ns = conditions->meta->created_ns;
    if (old && old->status == wanted.status)
        wanted.transition_ns = old->transition_ns;
    if (old && is_same(old, &wanted))
        return false;
    if (old)
        take_out(conditions, old);
    vec_push(conditions->arena, &conditions->list, wanted); // after those of the same time
    for (vec_each(Condition, other, &conditions->list)) {
        if (conditions->meta->deleting)
            other->observed_generation = conditions->meta->generation;
    }
    sort_by_time(conditions);
    conditions->changed = true;
    return true;
}

// Dependents that are not True at the object's generation, the one that changed last first.
static void find_unhealthy(Conditions *conditions, ConditionVec *ret_unhealthy) {
    for (vec_each(Condition, condition, &conditions->list)) {
        bool healthy = slice_eq_text(symbol_text(conditions->symbols, condition->status), "True") &&
                       condition->observed_generation == conditions->meta->generation;
        uint32_t at;

        if (healthy || !is_dependent(conditions, condition->type))
            continue;
        vec_push(conditions->arena, ret_unhealthy, *condition);
        for (at = ret_unhealthy->count - 1; at > 0; at--) {
            if (ret_unhealthy->items[at - 1].transition_ns >= condition->transition_ns)
                break;
            ret_unhealthy->items[at] = ret_unhealthy->items[at - 1];
        }
        ret_unhealthy->items[at] = *condition;
    }
}

static void compute_root(Conditions *conditions) {
    Symbol is_false = intern(conditions, "False");
    Condition root = {.type = intern(conditions, CONDITION_READY)};
    ConditionVec unhealthy = {0};
    const char *status = "True", *reason = CONDITION_READY;

    find_unhealthy(conditions, &unhealthy);
    for (vec_each(Condition, condition, &unhealthy)) {
        root.message =
            arena_printf(conditions->arena, "%.*s%s%.*s=%.*s", SLICE_ARG(root.message), root.message.len ? ", " : "",
                         SLICE_ARG(symbol_text(conditions->symbols, condition->type)),
                         SLICE_ARG(symbol_text(conditions->symbols, condition->status)));
        if (condition->status == is_false && condition->observed_generation == conditions->meta->generation)
            status = "False", reason = "UnhealthyDependents";
        else if (status[0] == 'T')
            status = "Unknown", reason = "ReconcilingDependents";
    }
    root.status = intern(conditions, status);
    root.reason = intern(conditions, reason);
    put(conditions, root);
}

static bool set(Conditions *conditions, const char *type, const char *status, const char *reason, Slice message) {
    Condition wanted = {.type = intern(conditions, type),
                        .status = intern(conditions, status),
                        .reason = intern(conditions, reason),
                        .message = message};

    if (!put(conditions, wanted))
        return false;
    if (strcmp(type, CONDITION_READY) != 0)
        compute_root(conditions);
    return true;
}

bool conditions_set_true(Conditions *conditions, const char *type) {
    return set(conditions, type, "True", type, (Slice){0});
}

bool conditions_set_true_because(Conditions *conditions, const char *type, const char *reason, Slice message) {
    return set(conditions, type, "True", reason, message);
}

bool conditions_set_false(Conditions *conditions, const char *type, const char *reason, Slice message) {
    return set(conditions, type, "False", reason, message);
}

bool conditions_set_unknown(Conditions *conditions, const char *type, const char *reason, Slice message) {
    return set(conditions, type, "Unknown", reason, message);
}

bool conditions_clear(Conditions *conditions, const char *type) {
    Condition *found = find(conditions, intern(conditions, type));
    Condition *items = conditions->list.items;

    if (!found)
        return false;
    CHECK(strcmp(type, CONDITION_READY) != 0 && !is_dependent(conditions, found->type), "%s cannot be cleared", type);
    take_out(conditions, found);
    for (uint32_t i = 1; i < conditions->list.count; i++) {
        Condition moved = items[i];
        uint32_t at = i;

        for (; at > 0 && symbol_cmp(conditions->symbols, items[at - 1].type, moved.type) > 0; at--)
            items[at] = items[at - 1];
        items[at] = moved;
    }
    conditions->changed = true;
    return true;
}

// --- opening and writing

static void make_missing(Conditions *conditions, const char *type) {
    if (conditions_get(conditions, type))
        return;
    vec_push(conditions->arena, &conditions->list,
             (Condition){.type = intern(conditions, type),
                         .status = intern(conditions, "Unknown"),
                         .reason = intern(conditions, "AwaitingReconciliation"),
                         .message = SLICE("object is awaiting reconciliation"),
                         .transition_ns = conditions->meta->created_ns,
                         .observed_generation = conditions->meta->generation});
    sort_by_time(conditions);
    conditions->changed = true;
}

Conditions conditions_open(const Turn *turn, const ConditionRules *rules, const ObjectMeta *meta,
                           const ConditionVec *stored) {
    Conditions conditions = {.arena = turn->arena,
                             .symbols = turn->symbols,
                             .rules = rules,
                             .meta = meta,
                             .now_ns = turn->wall_ns - turn->wall_ns % NS_PER_S};

    for (vec_each(const Condition, condition, stored))
        vec_push(conditions.arena, &conditions.list, *condition);
    for (uint32_t i = 0; i < rules->count; i++)
        make_missing(&conditions, rules->dependents[i]);
    make_missing(&conditions, CONDITION_READY);
    return conditions;
}

static void put_text(Arena *arena, Value *map, const char *key, Slice text) {
    value_put(arena, map, slice_of(key), value_string(text));
}

Value *conditions_patch(const Conditions *conditions) {
    Arena *arena = conditions->arena;
    Value *patch = arena_new(arena, Value), *status, *list;

    *patch = value_map();
    status = value_put(arena, patch, SLICE("status"), value_map());
    list = value_put(arena, status, SLICE("conditions"), value_list());
    for (vec_each(Condition, condition, &conditions->list)) {
        Value *map = value_append(arena, list, value_map());

        put_text(arena, map, "lastTransitionTime", time_print(arena, condition->transition_ns));
        put_text(arena, map, "message", condition->message);
        if (condition->observed_generation)
            value_put(arena, map, SLICE("observedGeneration"), value_int(arena, condition->observed_generation));
        put_text(arena, map, "reason", symbol_text(conditions->symbols, condition->reason));
        put_text(arena, map, "status", symbol_text(conditions->symbols, condition->status));
        put_text(arena, map, "type", symbol_text(conditions->symbols, condition->type));
    }
    return patch;
}
