// Parts of most objects: metadata, labels, owners, conditions, enumerations.
#include "model/decode/parts.h"

#include <stdlib.h>

ErrCode decode_presence(Decoder *decoder, const Value *value, void *ret_present, Err *err) {
    (void)decoder, (void)value, (void)err;
    *(bool *)ret_present = true;
    return OK;
}

ErrCode decode_int_or_string(Decoder *decoder, const Value *value, void *ret_text, Err *err) {
    if (value->kind != VALUE_NUMBER)
        TRY(decode_expect(decoder, value, VALUE_STRING, err));
    *(Slice *)ret_text = arena_slice(decoder->arena, value->text);
    return OK;
}

ErrCode decode_revision(Decoder *decoder, const Value *value, void *ret_revision, Err *err) {
    uint64_t revision = 0;

    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    for (size_t i = 0; i < value->text.len; i++) {
        unsigned digit = (unsigned char)value->text.ptr[i] - (unsigned)'0';

        if (digit > 9 || __builtin_mul_overflow(revision, (uint64_t)10, &revision) ||
            __builtin_add_overflow(revision, (uint64_t)digit, &revision))
            return OK;
    }
    *(uint64_t *)ret_revision = revision;
    return OK;
}

static ErrCode decode_label(Decoder *decoder, const ValueMember *member, Symbol *ret_value, Err *err) {
    if (member->value.kind == VALUE_NULL) {
        *ret_value = NAME_EMPTY;
        return OK;
    }
    decode_enter(decoder, member->key);
    TRY(decode_expect(decoder, &member->value, VALUE_STRING, err));
    decode_leave(decoder);
    *ret_value = symbol_intern(decoder->symbols, member->value.text);
    return OK;
}

static int by_key(const void *a, const void *b) {
    Symbol x = ((const Label *)a)->key, y = ((const Label *)b)->key;

    return (x > y) - (x < y);
}

ErrCode decode_labels(Decoder *decoder, const Value *value, void *ret_labels, Err *err) {
    Labels labels = {0};

    TRY(decode_expect(decoder, value, VALUE_MAP, err));
    if (value->map.count) {
        labels.items = arena_array(decoder->arena, Label, value->map.count);
        labels.capacity = value->map.count;
    }
    for (vec_each(const ValueMember, member, &value->map)) {
        Label *label = &labels.items[labels.count++];

        label->key = symbol_intern(decoder->symbols, member->key);
        TRY(decode_label(decoder, member, &label->value, err));
    }
    if (labels.count)
        qsort(labels.items, labels.count, sizeof *labels.items, by_key);
    *(Labels *)ret_labels = labels;
    return OK;
}

static const Field owner_reference_fields[] = {
    FIELD(OwnerReference, api_version, "apiVersion", FIELD_SYMBOL, ),
    FIELD(OwnerReference, kind, "kind", FIELD_SYMBOL, ),
    FIELD(OwnerReference, name, "name", FIELD_SYMBOL, ),
    FIELD(OwnerReference, uid, "uid", FIELD_SYMBOL, ),
    FIELD(OwnerReference, controller, "controller", FIELD_BOOL, ),
};
const FieldTable owner_reference_table = FIELD_TABLE(OwnerReference, owner_reference_fields);

static const Field object_meta_fields[] = {
    FIELD(ObjectMeta, ns, "namespace", FIELD_SYMBOL, ),
    FIELD(ObjectMeta, name, "name", FIELD_SYMBOL, ),
    FIELD(ObjectMeta, uid, "uid", FIELD_SYMBOL, ),
    FIELD(ObjectMeta, created_ns, "creationTimestamp", FIELD_TIME, ),
    FIELD_HAS(ObjectMeta, deleted_ns, deleting, "deletionTimestamp", FIELD_TIME, ),
    FIELD(ObjectMeta, generation, "generation", FIELD_INT64, ),
    FIELD_CUSTOM_WITH(ObjectMeta, revision, "resourceVersion", decode_revision, ),
    FIELD_CUSTOM_WITH(ObjectMeta, labels, "labels", decode_labels, ),
    FIELD_CUSTOM_WITH(ObjectMeta, annotations, "annotations", decode_labels, ),
    FIELD(ObjectMeta, owners, "ownerReferences", FIELD_LIST, .table = &owner_reference_table),
    FIELD(ObjectMeta, finalizers, "finalizers", FIELD_SYMBOLS, ),
};
const FieldTable object_meta_table = FIELD_TABLE(ObjectMeta, object_meta_fields);

static const Field condition_fields[] = {
    FIELD(Condition, type, "type", FIELD_SYMBOL, ),
    FIELD(Condition, status, "status", FIELD_SYMBOL, ),
    FIELD(Condition, reason, "reason", FIELD_SYMBOL, ),
    FIELD(Condition, message, "message", FIELD_STRING, ),
    FIELD(Condition, transition_ns, "lastTransitionTime", FIELD_TIME, ),
    FIELD(Condition, observed_generation, "observedGeneration", FIELD_INT64, ),
};
const FieldTable condition_table = FIELD_TABLE(Condition, condition_fields);
