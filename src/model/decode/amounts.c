// Resource lists: maps of quantities.
#include "model/decode/amounts.h"

#include "text/document.h"

#include <inttypes.h>

enum { RESOURCES_MAX = 1000 }; // in one list; merging lists is quadratic in the new entries

static ErrCode decode_quantity(Decoder *decoder, const Value *value, QuantityScale scale, int64_t *ret_amount,
                               Err *err) {
    ErrCode code;

    if (value->kind != VALUE_NUMBER && value->kind != VALUE_STRING)
        return decode_fail(decoder, value, err, "expected a quantity such as \"500m\" or \"2Gi\", got %s",
                           value_kind_text(value->kind));
    code = quantity_parse(value->text, scale, ret_amount, NULL);
    if (code == ERR_RANGE)
        return decode_fail_as(decoder, value, ERR_RANGE, err, "the quantity \"%.*s\" is too large",
                              SLICE_ARG(excerpt(decoder->arena, value->text)));
    if (code != OK)
        return decode_fail(decoder, value, err, "expected a quantity such as \"500m\" or \"2Gi\", got \"%.*s\"",
                           SLICE_ARG(excerpt(decoder->arena, value->text)));
    return OK;
}

static ErrCode decode_amounts(Decoder *decoder, const Value *value, bool may_be_negative, Resources *ret_list,
                              Err *err) {
    Resources list = {0};

    TRY(decode_expect(decoder, value, VALUE_MAP, err));
    if (value->map.count > RESOURCES_MAX)
        return decode_fail_as(decoder, value, ERR_RANGE, err, "expected at most %d resources, got %" PRIu32,
                              RESOURCES_MAX, value->map.count);
    if (value->map.count) {
        list.items = arena_array(decoder->arena, ResourceAmount, value->map.count);
        list.capacity = value->map.count;
    }
    for (vec_each(const ValueMember, member, &value->map)) {
        Symbol resource = symbol_intern(decoder->symbols, member->key);
        int64_t amount = 0;

        if (member->value.kind == VALUE_NULL)
            continue;
        decode_enter(decoder, member->key);
        TRY(decode_quantity(decoder, &member->value, resource_scale(resource), &amount, err));
        if (amount < 0 && !may_be_negative)
            return decode_fail(decoder, &member->value, err, "must be greater than or equal to 0, got \"%.*s\"",
                               SLICE_ARG(excerpt(decoder->arena, member->value.text)));
        decode_leave(decoder);
        resources_set(decoder->arena, &list, resource, amount);
    }
    *ret_list = list;
    return OK;
}

ErrCode decode_resources(Decoder *decoder, const Value *value, void *ret_resources, Err *err) {
    return decode_amounts(decoder, value, true, ret_resources, err);
}

ErrCode decode_requests(Decoder *decoder, const Value *value, void *ret_resources, Err *err) {
    return decode_amounts(decoder, value, false, ret_resources, err);
}
