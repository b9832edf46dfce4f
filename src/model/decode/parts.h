// Decoders and field tables of the parts that several kinds of objects share. Private to src/model.
//
// A decoder gets the field to fill as `ret_field`; the type of that field is named at each.
#pragma once

#include "model/choice.h"
#include "model/objects.h"

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
