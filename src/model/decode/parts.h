// Decoders and field tables of the parts that several kinds of objects share. Private to src/model.
//
// A decoder gets the field to fill as `ret_field`; the type of that field is named at each.
#pragma once

#include "model/choice.h"
#include "model/objects.h"

// FIELD with a bool member that records whether the field was present.
#define FIELD_HAS(struct_, member, has_member, json, kind_, ...)                                                       \
    {                                                                                                                  \
        .name = (json), .kind = (kind_), .offset = offsetof(struct_, member),                                          \
        .has_offset = offsetof(struct_, has_member), __VA_ARGS__                                                       \
    }
#define FIELD_CUSTOM_WITH(struct_, member, json, decode, ...)                                                          \
    FIELD(struct_, member, json, FIELD_CUSTOM, .custom = (decode), __VA_ARGS__)

// A JSON object whose members are fields of the same struct: {"spec": {"weight": 5}} into NodePool.weight.
#define FIELD_FLAT(json, table_, ...)                                                                                  \
    { .name = (json), .kind = FIELD_OBJECT, .has_offset = SIZE_MAX, .table = &(table_), __VA_ARGS__ }
#define FIELD_FLAT_HAS(struct_, has_member, json, table_)                                                              \
    { .name = (json), .kind = FIELD_OBJECT, .has_offset = offsetof(struct_, has_member), .table = &(table_) }

extern const FieldTable object_meta_table;     // ObjectMeta
extern const FieldTable owner_reference_table; // OwnerReference
extern const FieldTable condition_table;       // Condition
extern const FieldTable taint_table;           // Taint
extern const FieldTable node_term_table;       // NodeTerm
extern const FieldTable node_selector_table;   // NodeTermVec: {"nodeSelectorTerms": [...]}

// Labels, from a map of strings.
ErrCode decode_labels(Decoder *decoder, const Value *value, void *ret_labels, Err *err);
// bool: whether the field is present.
ErrCode decode_presence(Decoder *decoder, const Value *value, void *ret_present, Err *err);
// uint64_t: a resourceVersion as a number; 0 for one that is not a number (of older API servers).
ErrCode decode_revision(Decoder *decoder, const Value *value, void *ret_revision, Err *err);
// Slice: an integer or a string, as text.
ErrCode decode_int_or_string(Decoder *decoder, const Value *value, void *ret_text, Err *err);
