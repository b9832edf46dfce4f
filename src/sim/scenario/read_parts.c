// Helpers for reading scenarios.
#include "sim/scenario/read_parts.h"

#include "text/duration.h"

// Longest duration, ten years: sums of times cannot overflow.
static const int64_t LONGEST_NS = 87600 * NS_PER_HOUR;

static ErrCode read_duration(Decoder *decoder, const Value *value, int64_t least_ns, const char *expected,
                             int64_t *ret_ns, Err *err) {
    Err reason;
    int64_t ns;

    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    if (duration_parse(value->text, &ns, &reason) != OK || ns < least_ns || ns > LONGEST_NS)
        return decode_fail(decoder, value, err, "expected %s, got \"%.*s\"", expected, SLICE_ARG(value->text));
    *ret_ns = ns;
    return OK;
}

ErrCode decode_duration(Decoder *decoder, const Value *value, void *ret_ns, Err *err) {
    return read_duration(decoder, value, 0, "a duration (90s, 1h30m) of at most 87600h", ret_ns, err);
}

ErrCode decode_signed_duration(Decoder *decoder, const Value *value, void *ret_ns, Err *err) {
    return read_duration(decoder, value, -LONGEST_NS, "a duration (90s, -1h30m) of at most 87600h", ret_ns, err);
}

ErrCode decode_percent(Decoder *decoder, const Value *value, void *ret_percent, Err *err) {
    Value number = *value;
    double percent;

    if (value->kind == VALUE_STRING && slice_ends_with(value->text, SLICE("%"))) {
        number.kind = VALUE_NUMBER;
        number.text = slice_first(value->text, value->text.len - 1);
    }
    if (number.kind != VALUE_NUMBER || !value_to_double(&number, &percent) || percent < 0 || percent > 100)
        return decode_fail(decoder, value, err, "expected a percentage from 0 to 100");
    *(double *)ret_percent = percent;
    return OK;
}

static ErrCode check_members(Decoder *decoder, const Value *map, const char *const *known, size_t count, Err *err) {
    TRY(decode_expect(decoder, map, VALUE_MAP, err));
    for (uint32_t i = 0; i < map->map.count; i++) {
        const ValueMember *member = &map->map.items[i];
        size_t at = 0;

        while (at < count && !slice_eq_text(member->key, known[at]))
            at++;
        if (at == count)
            return decode_fail(decoder, &member->value, err, "unknown member \"%.*s\"", SLICE_ARG(member->key));
    }
    return OK;
}

ErrCode decode_strictly(Decoder *decoder, const Value *map, const FieldTable *table, const char *more, void *ret_object,
                        Err *err) {
    const char *known[32];
    size_t count = 0;

    for (; count < table->count; count++)
        known[count] = table->fields[count].name;
    if (more)
        known[count++] = more;
    TRY(check_members(decoder, map, known, count, err));
    return decode_object(decoder, map, table, ret_object, err);
}
