// Taints and tolerations.
#include "model/decode/taints.h"

static const char *const effect_words[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};

static ErrCode decode_taint_effect(Decoder *decoder, const Value *value, void *ret_effect, Err *err) {
    size_t word;

    TRY(DECODE_WORD(decoder, value, effect_words, &word, err));
    *(TaintEffect *)ret_effect = (TaintEffect)(EFFECT_NO_SCHEDULE + word);
    return OK;
}

static const Field taint_fields[] = {
    FIELD(Taint, key, "key", FIELD_SYMBOL, .required = true),
    FIELD(Taint, value, "value", FIELD_SYMBOL, ),
    FIELD_CUSTOM_WITH(Taint, effect, "effect", decode_taint_effect, .required = true),
};
const FieldTable taint_table = FIELD_TABLE(Taint, taint_fields);

static ErrCode decode_toleration_effect(Decoder *decoder, const Value *value, void *ret_effect, Err *err) {
    if (value->kind == VALUE_STRING && value->text.len == 0)
        return OK;
    return decode_taint_effect(decoder, value, ret_effect, err);
}

static ErrCode decode_toleration_op(Decoder *decoder, const Value *value, void *ret_op, Err *err) {
    static const char *const words[] = {"Equal", "Exists", "Lt", "Gt"};
    size_t word;

    if (value->kind == VALUE_STRING && value->text.len == 0)
        return OK;
    TRY(DECODE_WORD(decoder, value, words, &word, err));
    *(TolerationOp *)ret_op = (TolerationOp)word;
    return OK;
}

static const Field toleration_fields[] = {
    FIELD(Toleration, key, "key", FIELD_SYMBOL, ),
    FIELD(Toleration, value, "value", FIELD_SYMBOL, ),
    FIELD_CUSTOM_WITH(Toleration, op, "operator", decode_toleration_op, ),
    FIELD_CUSTOM_WITH(Toleration, effect, "effect", decode_toleration_effect, ),
};
static const FieldTable toleration_table = FIELD_TABLE(Toleration, toleration_fields);

ErrCode decode_tolerations(Decoder *decoder, const Value *value, void *ret_tolerations, Err *err) {
    TolerationVec *tolerations = ret_tolerations;

    TRY(decode_expect(decoder, value, VALUE_LIST, err));
    for (uint32_t i = 0; i < value->list.count; i++) {
        Toleration *toleration = vec_add(decoder->arena, tolerations);

        decode_enter_index(decoder, i);
        TRY(decode_object(decoder, &value->list.items[i], &toleration_table, toleration, err));
        if (toleration->key == NAME_EMPTY && toleration->op != TOLERATION_EXISTS)
            return decode_fail(decoder, &value->list.items[i], err, "operator must be Exists when key is empty");
        decode_leave(decoder);
    }
    return OK;
}
