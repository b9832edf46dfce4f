// Reading expectations: counts of objects, and measures.
#include "sim/scenario/read_expect.h"

static const Field count_fields[] = {
    FIELD(Expectation, selection.kind, "kind", FIELD_CUSTOM, .custom = decode_kind, .required = true),
    FIELD(Expectation, selection.ns, "namespace", FIELD_STRING, ),
    FIELD(Expectation, selection.name, "name", FIELD_STRING, ),
    FIELD(Expectation, selection.labels, "labels", FIELD_CUSTOM, .custom = decode_label_selector),
    FIELD(Expectation, selection.where, "where", FIELD_CUSTOM, .custom = decode_where),
    FIELD(Expectation, amount, "count", FIELD_CUSTOM, .custom = decode_amount, .required = true),
    FIELD(Expectation, within_ns, "within", FIELD_CUSTOM, .custom = decode_duration),
    FIELD(Expectation, lasting_ns, "lasting", FIELD_CUSTOM, .custom = decode_duration),
};
static const FieldTable count_table = FIELD_TABLE(Expectation, count_fields);

static ErrCode decode_measure(Decoder *decoder, const Value *value, void *ret_measure, Err *err) {
    Measure measure;

    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    measure = measure_find(value->text);
    if (measure == MEASURE_COUNT)
        return decode_fail(decoder, value, err, "unknown measure \"%.*s\": docs/scenarios.md names them",
                           SLICE_ARG(value->text));
    *(Measure *)ret_measure = measure;
    return OK;
}

static const Field measure_fields[] = {
    FIELD(Expectation, measure, "measure", FIELD_CUSTOM, .custom = decode_measure, .required = true),
    FIELD(Expectation, amount, "value", FIELD_CUSTOM, .custom = decode_amount, .required = true),
    FIELD(Expectation, within_ns, "within", FIELD_CUSTOM, .custom = decode_duration),
    FIELD(Expectation, lasting_ns, "lasting", FIELD_CUSTOM, .custom = decode_duration),
};
static const FieldTable measure_table = FIELD_TABLE(Expectation, measure_fields);

static ErrCode decode_expectation(Decoder *decoder, const Value *value, Expectation *expectation, Err *err) {
    TRY(decode_expect(decoder, value, VALUE_MAP, err));
    expectation->line = value->line;
    expectation->is_count = !value_get_text(value, "measure");
    return decode_strictly(decoder, value, expectation->is_count ? &count_table : &measure_table, NULL, expectation,
                           err);
}

ErrCode decode_expectations(Decoder *decoder, const Value *value, ExpectationVec *expectations, Err *err) {
    if (value->kind != VALUE_LIST)
        return decode_expectation(decoder, value, vec_add(decoder->arena, expectations), err);
    for (uint32_t i = 0; i < value->list.count; i++) {
        decode_enter_index(decoder, i);
        TRY(decode_expectation(decoder, &value->list.items[i], vec_add(decoder->arena, expectations), err));
        decode_leave(decoder);
    }
    return OK;
}
