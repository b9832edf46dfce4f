// Decoders of maps and lists of texts.
#include "legacy/fields.h"

#include "text/document.h"

#include <inttypes.h>

static ErrCode check_count(Decoder *decoder, const Value *value, uint32_t count, Err *err) {
    if (count <= TEXT_MAP_MAX)
        return OK;
    return decode_fail_as(decoder, value, ERR_RANGE, err, "expected at most %d members, got %" PRIu32, TEXT_MAP_MAX,
                          count);
}

ErrCode decode_quantity_text(Decoder *decoder, const Value *value, void *ret_text, Err *err) {
    int64_t amount;

    if (value->kind != VALUE_NUMBER && value->kind != VALUE_STRING)
        return decode_fail(decoder, value, err, "expected a quantity such as \"500m\" or \"2Gi\", got %s",
                           value_kind_text(value->kind));
    if (quantity_parse(value->text, QUANTITY_UNIT, &amount, NULL) == ERR_INVALID)
        return decode_fail(decoder, value, err, "expected a quantity such as \"500m\" or \"2Gi\", got \"%.*s\"",
                           SLICE_ARG(excerpt(decoder->arena, value->text)));
    *(Slice *)ret_text = arena_slice(decoder->arena, value->text);
    return OK;
}

static ErrCode decode_plain_text(Decoder *decoder, const Value *value, void *ret_text, Err *err) {
    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    *(Slice *)ret_text = arena_slice(decoder->arena, value->text);
    return OK;
}

// A value that is null is the empty text, as for an API server.
static ErrCode decode_map(Decoder *decoder, const Value *value, FieldDecode decode_member, TextMap *ret_map, Err *err) {
    TextMap map = {0};

    TRY(decode_expect(decoder, value, VALUE_MAP, err));
    TRY(check_count(decoder, value, value->map.count, err));
    for (vec_each(const ValueMember, member, &value->map)) {
        TextPair *pair = vec_add(decoder->arena, &map);

        pair->key = arena_slice(decoder->arena, member->key);
        pair->line = member->line;
        if (member->value.kind == VALUE_NULL)
            continue;
        decode_enter(decoder, member->key);
        TRY(decode_member(decoder, &member->value, &pair->value, err));
        decode_leave(decoder);
    }
    *ret_map = map;
    return OK;
}

ErrCode decode_text_map(Decoder *decoder, const Value *value, void *ret_map, Err *err) {
    return decode_map(decoder, value, decode_plain_text, ret_map, err);
}

ErrCode decode_quantity_map(Decoder *decoder, const Value *value, void *ret_map, Err *err) {
    return decode_map(decoder, value, decode_quantity_text, ret_map, err);
}

ErrCode decode_texts(Decoder *decoder, const Value *value, void *ret_texts, Err *err) {
    SliceVec texts = {0};

    TRY(decode_expect(decoder, value, VALUE_LIST, err));
    TRY(check_count(decoder, value, value->list.count, err));
    for (uint32_t i = 0; i < value->list.count; i++) {
        decode_enter_index(decoder, i);
        TRY(decode_plain_text(decoder, &value->list.items[i], vec_add(decoder->arena, &texts), err));
        decode_leave(decoder);
    }
    *(SliceVec *)ret_texts = texts;
    return OK;
}
