// Decodes one entry of a JSON list of instance types (the format is in types.h) by field tables.
#include "cloud/kwok/type_entry.h"

#include "cloud/kwok/type_builder.h"

// Maximum number of zones, and of capacity types, in one entry of `offerings`.
enum { PLACES_MAX = 8 };

typedef struct {
    double price;
    bool price_estimated;
    bool available, has_available;
    ExpressionVec requirements;
    int32_t reservation_capacity;
    bool has_capacity_override, has_overhead_override;
    Resources capacity_override, overhead_override;
} OfferingEntry;

typedef struct {
    Symbol name, arch;
    SymbolVec systems;
    Resources capacity;
    Slice cpu, memory; // canonical
    Vec(OfferingEntry) offerings;
    bool has_overhead;
    Resources overhead;
    ExpressionVec requirements;
    VolumeLimitVec volume_limits;
} TypeEntry;

// Decodes an amount: a string or a number, not negative.
static ErrCode read_amount(Decoder *decoder, const Value *value, Symbol resource, int64_t *ret_amount, Err *err) {
    if (value->kind != VALUE_NUMBER)
        TRY(decode_expect(decoder, value, VALUE_STRING, err));
    if (quantity_parse(value->text, resource_scale(resource), ret_amount, NULL) != OK || *ret_amount < 0)
        return decode_fail(decoder, value, err,
                           "expected a quantity of at least 0 such as \"2\" or \"8Gi\", got \"%.*s\"",
                           SLICE_ARG(value->text));
    return OK;
}

static ErrCode read_resources(Decoder *decoder, const Value *value, void *ret_field, Err *err) {
    Resources list = {0};

    TRY(decode_expect(decoder, value, VALUE_MAP, err));
    for (uint32_t i = 0; i < value->map.count; i++) {
        const ValueMember *member = &value->map.items[i];
        Symbol resource = symbol_intern(decoder->symbols, member->key);
        int64_t amount = 0;

        decode_enter(decoder, member->key);
        TRY(read_amount(decoder, &member->value, resource, &amount, err));
        decode_leave(decoder);
        resources_set(decoder->arena, &list, resource, amount);
    }
    *(Resources *)ret_field = list;
    return OK;
}

// Decodes the capacity, and keeps the texts for the labels of CPU and memory.
static ErrCode read_capacity(Decoder *decoder, const Value *value, void *ret_field, Err *err) {
    TypeEntry *entry = (TypeEntry *)((char *)ret_field - offsetof(TypeEntry, capacity));
    const Value *cpu, *memory;

    TRY(read_resources(decoder, value, ret_field, err));
    cpu = value_get_text(value, "cpu");
    memory = value_get_text(value, "memory");
    if (cpu)
        TRY(quantity_canonical(decoder->arena, cpu->text, &entry->cpu, err));
    if (memory)
        TRY(quantity_canonical(decoder->arena, memory->text, &entry->memory, err));
    return OK;
}

static ErrCode read_operator(Decoder *decoder, const Value *value, void *ret_field, Err *err) {
    static const Operator operators[] = {OP_IN, OP_NOT_IN, OP_EXISTS, OP_DOES_NOT_EXIST, OP_GT, OP_LT, OP_GTE, OP_LTE};

    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (slice_eq_text(value->text, operator_text(operators[i]))) {
            *(Operator *)ret_field = operators[i];
            return OK;
        }
    }
    return decode_fail(decoder, value, err,
                       "expected In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte or Lte, got \"%.*s\"",
                       SLICE_ARG(value->text));
}

static ErrCode read_volume_limits(Decoder *decoder, const Value *value, void *ret_field, Err *err) {
    VolumeLimitVec limits = {0};

    TRY(decode_expect(decoder, value, VALUE_MAP, err));
    for (uint32_t i = 0; i < value->map.count; i++) {
        const ValueMember *member = &value->map.items[i];
        VolumeLimit *limit = vec_add(decoder->arena, &limits);

        decode_enter(decoder, member->key);
        limit->driver = symbol_intern(decoder->symbols, member->key);
        limit->has_count = true;
        if (!value_to_int64(&member->value, &limit->count) || limit->count < 0)
            return decode_fail(decoder, &member->value, err, "expected a number of volumes of at least 0, got %s",
                               value_kind_text(member->value.kind));
        decode_leave(decoder);
    }
    *(VolumeLimitVec *)ret_field = limits;
    return OK;
}

static const Field requirement_fields[] = {
    FIELD(Expression, key, "key", FIELD_SYMBOL, .required = true),
    FIELD(Expression, op, "operator", FIELD_CUSTOM, .required = true, .custom = read_operator),
    FIELD(Expression, values, "values", FIELD_SYMBOLS),
};
static const FieldTable requirement_table = FIELD_TABLE(Expression, requirement_fields);

static const Field offering_fields[] = {
    FIELD(OfferingEntry, price, "Price", FIELD_REAL, .required = true),
    FIELD(OfferingEntry, price_estimated, "PriceEstimated", FIELD_BOOL),
    {.name = "Available",
     .kind = FIELD_BOOL,
     .offset = offsetof(OfferingEntry, available),
     .has_offset = offsetof(OfferingEntry, has_available)},
    FIELD(OfferingEntry, requirements, "Requirements", FIELD_LIST, .required = true, .table = &requirement_table),
    FIELD(OfferingEntry, reservation_capacity, "ReservationCapacity", FIELD_INT32),
    {.name = "capacityOverride",
     .kind = FIELD_CUSTOM,
     .offset = offsetof(OfferingEntry, capacity_override),
     .has_offset = offsetof(OfferingEntry, has_capacity_override),
     .custom = read_resources},
    {.name = "overheadOverride",
     .kind = FIELD_CUSTOM,
     .offset = offsetof(OfferingEntry, overhead_override),
     .has_offset = offsetof(OfferingEntry, has_overhead_override),
     .custom = read_resources},
};
static const FieldTable offering_table = FIELD_TABLE(OfferingEntry, offering_fields);

static const Field type_fields[] = {
    FIELD(TypeEntry, name, "name", FIELD_SYMBOL, .required = true),
    FIELD(TypeEntry, arch, "architecture", FIELD_SYMBOL, .required = true),
    FIELD(TypeEntry, systems, "operatingSystems", FIELD_SYMBOLS),
    FIELD(TypeEntry, capacity, "resources", FIELD_CUSTOM, .required = true, .custom = read_capacity),
    FIELD(TypeEntry, offerings, "offerings", FIELD_LIST, .required = true, .table = &offering_table),
    {.name = "overhead",
     .kind = FIELD_CUSTOM,
     .offset = offsetof(TypeEntry, overhead),
     .has_offset = offsetof(TypeEntry, has_overhead),
     .custom = read_resources},
    FIELD(TypeEntry, requirements, "requirements", FIELD_LIST, .table = &requirement_table),
    FIELD(TypeEntry, volume_limits, "volumeLimits", FIELD_CUSTOM, .custom = read_volume_limits),
};
static const FieldTable type_table = FIELD_TABLE(TypeEntry, type_fields);

static Requirements make_requirements(Decoder *decoder, const ExpressionVec *expressions) {
    Requirements set = {0};

    for (uint32_t i = 0; i < expressions->count; i++) {
        Requirement requirement = requirement_make(decoder->arena, decoder->symbols, &expressions->items[i]);

        requirements_add(decoder->arena, decoder->symbols, &set, &requirement);
    }
    return set;
}

// The values that an offering has for a key. `value` is the offering, for messages.
static ErrCode values_of(Decoder *decoder, const Value *value, const Requirements *set, Symbol key,
                         const SymbolVec **ret_values, Err *err) {
    const Requirement *found = requirements_get(set, key);

    if (!found || requirement_operator(found) != OP_IN)
        return decode_fail(decoder, value, err, "Requirements: expected one with key %.*s, operator In and values",
                           SLICE_ARG(symbol_text(decoder->symbols, key)));
    *ret_values = &found->values;
    return OK;
}

// One offering per zone and capacity type that the entry names (KWOK's files name one of each).
static ErrCode add_offerings(Decoder *decoder, const Value *value, const OfferingEntry *entry, OfferingVec *offerings,
                             Err *err) {
    Requirements set = make_requirements(decoder, &entry->requirements);
    const SymbolVec *zones = NULL, *capacity_types = NULL, *reservations = NULL;

    if (!(entry->price >= 0))
        return decode_fail(decoder, value, err, "Price: expected at least 0, got %g", entry->price);
    TRY(values_of(decoder, value, &set, NAME_ZONE, &zones, err));
    TRY(values_of(decoder, value, &set, NAME_CAPACITY_TYPE, &capacity_types, err));
    if (zones->count > PLACES_MAX || capacity_types->count > PLACES_MAX)
        return decode_fail(decoder, value, err, "Requirements: expected at most %d values per key", PLACES_MAX);
    for (uint32_t i = 0; i < zones->count * capacity_types->count; i++) {
        Requirement zone = requirement_in(decoder->arena, NAME_ZONE, zones->items[i / capacity_types->count]);
        Requirement kind =
            requirement_in(decoder->arena, NAME_CAPACITY_TYPE, capacity_types->items[i % capacity_types->count]);
        Offering *offering = vec_add(decoder->arena, offerings);

        offering->requirements = requirements_copy(decoder->arena, &set);
        requirements_add(decoder->arena, decoder->symbols, &offering->requirements, &zone);
        requirements_add(decoder->arena, decoder->symbols, &offering->requirements, &kind);
        offering->zone = zone.values.items[0];
        offering->capacity_type = kind.values.items[0];
        offering->price_per_hour = entry->price;
        offering->price_estimated = entry->price_estimated;
        offering->available = !entry->has_available || entry->available;
        offering->has_override = entry->has_capacity_override || entry->has_overhead_override;
        offering->capacity_override = entry->capacity_override;
        offering->overhead_override = entry->overhead_override;
        if (offering->capacity_type != NAME_RESERVED)
            continue;
        TRY(values_of(decoder, value, &set, NAME_RESERVATION_ID, &reservations, err));
        offering->reservation_id = reservations->items[0];
        offering->reservation_capacity = entry->reservation_capacity;
    }
    return OK;
}

ErrCode kwok_type_read(Decoder *decoder, const Value *value, InstanceType *ret_type, Err *err) {
    const Value *offerings = value_get_text(value, "offerings");
    TypeEntry entry = {0};
    TypeDraft draft;

    TRY(decode_object(decoder, value, &type_table, &entry, err));
    if (entry.name == NAME_EMPTY)
        return decode_fail(decoder, value, err, "name: expected a name, got \"\"");
    if (entry.systems.count == 0)
        vec_push(decoder->arena, &entry.systems, NAME_LINUX);
    draft = (TypeDraft){.name = entry.name,
                        .arch = entry.arch,
                        .systems = entry.systems,
                        .capacity = entry.capacity,
                        .cpu = entry.cpu,
                        .memory = entry.memory,
                        .has_overhead = entry.has_overhead,
                        .overhead = entry.overhead,
                        .extra = make_requirements(decoder, &entry.requirements),
                        .volume_limits = entry.volume_limits};
    if (offerings->list.count != entry.offerings.count)
        return decode_fail(decoder, offerings, err, "offerings: expected objects only, got null");
    decode_enter(decoder, SLICE("offerings"));
    for (uint32_t i = 0; i < entry.offerings.count; i++) {
        decode_enter_index(decoder, i);
        TRY(add_offerings(decoder, &offerings->list.items[i], &entry.offerings.items[i], &draft.offerings, err));
        decode_leave(decoder);
    }
    decode_leave(decoder);
    *ret_type = kwok_build_type(decoder->arena, decoder->symbols, &draft);
    return OK;
}
