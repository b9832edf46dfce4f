// Reading faults: names and parameters.
#include "sim/scenario/read_fault.h"

static const struct {
    const char *text;
    unsigned parameters;
} faults[] = {
#define X(name, word, parameters) {word, parameters},
    SCENARIO_FAULTS(X)
#undef X
};

const char *fault_text(FaultType type) {
    return faults[type].text;
}

#define FIELD_WITH(member, has_member, json, kind_, ...)                                                               \
    {                                                                                                                  \
        .name = (json), .kind = (kind_), .offset = offsetof(ScenarioFault, member),                                    \
        .has_offset = offsetof(ScenarioFault, has_member), __VA_ARGS__                                                 \
    }

static const Field fault_fields[] = {
    FIELD(ScenarioFault, instance_type, "instanceType", FIELD_STRING, ),
    FIELD(ScenarioFault, zone, "zone", FIELD_STRING, ),
    FIELD(ScenarioFault, capacity_type, "capacityType", FIELD_STRING, ),
    FIELD(ScenarioFault, node, "node", FIELD_STRING, ),
    FIELD(ScenarioFault, condition, "condition", FIELD_STRING, ),
    FIELD(ScenarioFault, status, "status", FIELD_STRING, ),
    FIELD(ScenarioFault, reason, "reason", FIELD_STRING, ),
    FIELD_WITH(count, has_count, "count", FIELD_INT32, ),
    FIELD_WITH(percent, has_percent, "percent", FIELD_CUSTOM, .custom = decode_percent),
    FIELD_WITH(factor, has_factor, "factor", FIELD_REAL, ),
    FIELD_WITH(delay_ns, has_delay, "delay", FIELD_CUSTOM, .custom = decode_signed_duration),
    FIELD(ScenarioFault, for_ns, "for", FIELD_CUSTOM, .custom = decode_duration),
};
static const FieldTable fault_table = FIELD_TABLE(ScenarioFault, fault_fields);

static ErrCode check_fault(Decoder *decoder, const Value *value, const ScenarioFault *fault, Err *err) {
    const unsigned takes = faults[fault->type].parameters;
    const struct {
        bool given;
        unsigned parameter;
        const char *name;
    } parameters[] = {{fault->instance_type.len, FAULT_OFFERING, "instanceType"},
                      {fault->zone.len, FAULT_OFFERING, "zone"},
                      {fault->capacity_type.len, FAULT_OFFERING, "capacityType"},
                      {fault->condition.len, FAULT_CONDITION, "condition"},
                      {fault->status.len, FAULT_CONDITION, "status"},
                      {fault->reason.len, FAULT_CONDITION, "reason"},
                      {fault->has_count, FAULT_COUNT, "count"},
                      {fault->has_percent, FAULT_PERCENT, "percent"},
                      {fault->has_factor, FAULT_FACTOR, "factor"},
                      {fault->has_delay, FAULT_DELAY, "delay"}};

    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        if (parameters[i].given && !(takes & parameters[i].parameter))
            return decode_fail(decoder, value, err, "fault %s takes no %s", fault_text(fault->type),
                               parameters[i].name);
    }
    if ((takes & FAULT_CONDITION) && !fault->condition.len)
        return decode_fail(decoder, value, err, "fault %s needs a condition", fault_text(fault->type));
    if ((takes & FAULT_FACTOR) && (!fault->has_factor || fault->factor <= 0))
        return decode_fail(decoder, value, err, "fault %s needs a factor above 0", fault_text(fault->type));
    if (fault->delay_ns < 0 && fault->type != FAULT_CLOCK_SKEW)
        return decode_fail(decoder, value, err, "fault %s needs a delay of at least 0", fault_text(fault->type));
    if (takes == FAULT_PERCENT && !fault->has_percent)
        return decode_fail(decoder, value, err, "fault %s needs percent", fault_text(fault->type));
    return OK;
}

// Decodes "fault: watch-drop", or "fault: {type: ice, zone: …}".
ErrCode decode_fault(Decoder *decoder, const Value *value, ScenarioFault *fault, Err *err) {
    const Value *type = value->kind == VALUE_MAP ? value_get_text(value, "type") : value;
    const char *words[FAULT_TYPE_COUNT];
    size_t word = 0;

    for (size_t i = 0; i < FAULT_TYPE_COUNT; i++)
        words[i] = faults[i].text;
    if (!type)
        return decode_fail(decoder, value, err, "expected the type of a fault");
    TRY(decode_expect(decoder, type, VALUE_STRING, err));
    while (word < FAULT_TYPE_COUNT && !slice_eq_text(type->text, words[word]))
        word++;
    if (word == FAULT_TYPE_COUNT)
        return decode_fail(decoder, type, err, "unknown fault \"%.*s\": docs/scenarios.md names them",
                           SLICE_ARG(type->text));
    if (value->kind == VALUE_MAP)
        TRY(decode_strictly(decoder, value, &fault_table, "type", fault, err));
    fault->type = (FaultType)word;
    return check_fault(decoder, value, fault, err);
}
