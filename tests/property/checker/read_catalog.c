// The catalogue: instance types with their labels, room and offerings.
#include "checker/read.h"

#include "text/quantity.h"

static void set_label(World *world, Type *type, const char *key, Slice value) {
    LabelStates states = judge_states_value(world->arena, symbol_intern(&world->symbols, value));

    judge_table_narrow(world->arena, &world->symbols, &type->states, judge_symbol(world, key), &states);
}

// "m5.large" is of size large; other names have their CPU count for a size.
static Slice aws_size(Slice name) {
    static const char *const sizes[] = {"nano", "micro", "small", "medium", "large", "metal"};
    ptrdiff_t dot = slice_find(name, '.');
    Slice size = dot > 0 ? slice_from(name, (size_t)dot + 1) : (Slice){0};
    size_t digits = 0;

    for (ptrdiff_t i = 0; i < dot; i++) {
        if (name.ptr[i] == '-') // only one word is before the size
            return (Slice){0};
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (slice_eq_text(size, sizes[i]))
            return size;
    }
    while (digits < size.len && size.ptr[digits] >= '0' && size.ptr[digits] <= '9')
        digits++;
    return slice_eq_text(slice_from(size, digits), "xlarge") ? size : (Slice){0};
}

static Slice family(Slice name) {
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '.' || name.ptr[i] == '-')
            return slice_first(name, i);
    }
    return slice_first(name, 1);
}

static Slice quantity_label(World *world, const Value *resources, const char *member) {
    const Value *value = resources ? value_get(resources, slice_of(member)) : NULL;
    Slice text = {0};

    if (value && (value->kind == VALUE_STRING || value->kind == VALUE_NUMBER))
        quantity_canonical(world->arena, value->text, &text, NULL);
    return text;
}

static void set_type_labels(World *world, const Value *object, Type *type) {
    const Value *resources = value_get_text(object, "resources"), *list = judge_read_list(object, "requirements");
    Slice name = judge_read_text(object, "name"), size = aws_size(name), cpu = quantity_label(world, resources, "cpu");
    U32Vec systems = judge_read_symbols(world, judge_read_list(object, "operatingSystems"));
    LabelStates os = judge_states_of_expression(&world->symbols, OPERATOR_IN, systems);

    set_label(world, type, "node.kubernetes.io/instance-type", name);
    set_label(world, type, "kubernetes.io/arch", judge_read_text(object, "architecture"));
    judge_table_narrow(world->arena, &world->symbols, &type->states, judge_symbol(world, "kubernetes.io/os"), &os);
    set_label(world, type, "karpenter.kwok.sh/instance-size", size.len ? size : cpu);
    set_label(world, type, "karpenter.kwok.sh/instance-family", family(name));
    set_label(world, type, "karpenter.kwok.sh/instance-cpu", cpu);
    set_label(world, type, "karpenter.kwok.sh/instance-memory", quantity_label(world, resources, "memory"));
    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        Expression expression = judge_read_expression(world, &list->list.items[i], "key");

        judge_table_narrow(world->arena, &world->symbols, &type->states, expression.key, &expression.states);
    }
}

// Allocatable: capacity minus overhead over the keys of capacity; huge pages are subtracted from memory.
static Amounts allocatable(const World *world, const Amounts *capacity, const Amounts *overhead) {
    Amounts left = *capacity;

    for (uint32_t i = 0; i < world->resources.count; i++) {
        if (amounts_has(capacity, i))
            left.of[i] -= overhead->of[i];
    }
    for (uint32_t i = 0; i < world->resources.count; i++) {
        if (amounts_has(capacity, i) &&
            slice_starts_with(judge_text(world, world->resources.items[i]), SLICE("hugepages-"))) {
            left.of[RESOURCE_MEMORY] -= capacity->of[i];
            if (left.of[RESOURCE_MEMORY] < 0)
                left.of[RESOURCE_MEMORY] = 0;
        }
    }
    return left;
}

static void override_amounts(Amounts *amounts, const Amounts *by) {
    for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
        if (amounts_has(by, i))
            amounts->of[i] = by->of[i];
    }
    amounts->present |= by->present;
}

static Symbol only_value(World *world, const StateTable *table, const char *key) {
    const LabelStates *states = judge_table_get(table, judge_symbol(world, key));
    Symbol value = states ? judge_states_only_value(states) : INDEX_NONE;

    return value == INDEX_NONE ? SYMBOL_EMPTY : value;
}

static ErrCode read_offering(World *world, const Value *object, const Amounts *capacity, const Amounts *overhead,
                             Offering *ret_offering, Err *err) {
    const Value *list = judge_read_list(object, "Requirements"), *available = value_get_text(object, "Available");
    const Value *price = value_get_text(object, "Price");
    Amounts own_capacity = *capacity, own_overhead = *overhead, change;
    Offering offering = {.is_available = !available || available->kind != VALUE_BOOL || available->boolean};

    if (!price || !value_to_double(price, &offering.price_per_hour))
        return err_set(err, ERR_INVALID, "catalogue: an offering has no Price");
    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        Expression expression = judge_read_expression(world, &list->list.items[i], "key");

        judge_table_narrow(world->arena, &world->symbols, &offering.states, expression.key, &expression.states);
    }
    offering.zone = only_value(world, &offering.states, "topology.kubernetes.io/zone");
    offering.capacity_type = only_value(world, &offering.states, "karpenter.sh/capacity-type");
    offering.reservation = only_value(world, &offering.states, "karpenter.k8s.aws/capacity-reservation-id");
    offering.reservation_capacity = slice_eq_text(judge_text(world, offering.capacity_type), "reserved")
                                        ? judge_read_int(object, "ReservationCapacity", 0)
                                        : -1;
    TRY(judge_read_amounts(world, value_get_text(object, "capacityOverride"), &change, err));
    override_amounts(&own_capacity, &change);
    TRY(judge_read_amounts(world, value_get_text(object, "overheadOverride"), &change, err));
    override_amounts(&own_overhead, &change);
    world->has_overrides |= judge_read_has(object, "capacityOverride") || judge_read_has(object, "overheadOverride");
    offering.capacity = own_capacity;
    offering.allocatable = allocatable(world, &own_capacity, &own_overhead);
    *ret_offering = offering;
    return OK;
}

// A label of an offering replaces that of its type.
static void narrow_to_offering(World *world, StateTable *table, const KeyStates *own) {
    judge_table_narrow(world->arena, &world->symbols, table, own->key, &own->states);
    for (vec_each(KeyStates, entry, table)) {
        if (entry->key == own->key && judge_states_are_empty(&world->symbols, &entry->states))
            entry->states = own->states;
    }
}

// Zone and capacity type of a type: what its offerings have; then each offering narrows the type's labels.
static void join_offerings(World *world, Type *type) {
    static const char *const keys[] = {"topology.kubernetes.io/zone", "karpenter.sh/capacity-type"};

    for (size_t k = 0; k < 2; k++) {
        Symbol key = judge_symbol(world, keys[k]);
        U32Vec values = {0};
        LabelStates states;

        for (vec_each(Offering, offering, &type->offerings)) {
            Symbol value = k ? offering->capacity_type : offering->zone;

            if (!judge_symbols_contain(&values, value))
                vec_push(world->arena, &values, value);
        }
        states = judge_states_of_expression(&world->symbols, OPERATOR_IN, values);
        judge_table_narrow(world->arena, &world->symbols, &type->states, key, &states);
    }
    for (vec_each(Offering, offering, &type->offerings)) {
        StateTable own = offering->states;

        offering->states = (StateTable){0};
        for (vec_each(KeyStates, entry, &type->states))
            vec_push(world->arena, &offering->states, *entry);
        for (vec_each(KeyStates, entry, &own))
            narrow_to_offering(world, &offering->states, entry);
    }
}

static void note_keys(World *world, const StateTable *table) {
    for (vec_each(KeyStates, entry, table)) {
        if (!judge_symbols_contain(&world->type_keys, entry->key))
            vec_push(world->arena, &world->type_keys, entry->key);
    }
}

static ErrCode read_type(World *world, const Value *object, Err *err) {
    const Value *list = judge_read_list(object, "offerings"), *limits = value_get_text(object, "volumeLimits");
    Type type = {.name = judge_read_symbol(world, object, "name")};
    Amounts capacity, overhead;

    TRY(judge_read_amounts(world, value_get_text(object, "resources"), &capacity, err));
    if (!amounts_has(&capacity, RESOURCE_PODS)) {
        capacity.of[RESOURCE_PODS] = 110;
        capacity.present |= UINT32_C(1) << RESOURCE_PODS;
    }
    if (judge_read_has(object, "overhead")) {
        TRY(judge_read_amounts(world, value_get_text(object, "overhead"), &overhead, err));
    } else {
        overhead = (Amounts){.of = {[RESOURCE_CPU] = 100, [RESOURCE_MEMORY] = INT64_C(10) << 20}};
    }
    set_type_labels(world, object, &type);
    for (uint32_t i = 0; i < judge_read_count(list); i++)
        TRY(read_offering(world, &list->list.items[i], &capacity, &overhead, vec_add(world->arena, &type.offerings),
                          err));
    join_offerings(world, &type);
    for (uint32_t i = 0; limits && limits->kind == VALUE_MAP && i < limits->map.count; i++)
        vec_push(world->arena, &type.volume_limits,
                 (VolumeLimit){symbol_intern(&world->symbols, limits->map.items[i].key),
                               judge_read_int(limits, arena_text(world->arena, limits->map.items[i].key), INT64_MAX)});
    note_keys(world, &type.states);
    for (vec_each(Offering, offering, &type.offerings))
        note_keys(world, &offering->states);
    u64_map_put(world->arena, &world->type_index, type.name, world->types.count);
    vec_push(world->arena, &world->types, type);
    return OK;
}

ErrCode judge_read_catalog(World *world, const Value *catalog, Err *err) {
    if (catalog->kind != VALUE_LIST)
        return err_set(err, ERR_INVALID, "catalogue: expected list, got %s", value_kind_text(catalog->kind));
    for (uint32_t i = 0; i < catalog->list.count; i++)
        TRY(read_type(world, &catalog->list.items[i], err));
    return OK;
}
