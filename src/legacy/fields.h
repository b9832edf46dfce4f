// Decoders of what many fields of the old objects are. Private to src/legacy.
#pragma once

#include "legacy/objects.h"

enum { TEXT_MAP_MAX = 1000 }; // pairs of one map, texts of one list

// TextMap: texts; quantities ("10", 10, "2Gi").
ErrCode decode_text_map(Decoder *decoder, const Value *value, void *ret_map, Err *err);
ErrCode decode_quantity_map(Decoder *decoder, const Value *value, void *ret_map, Err *err);
// Slice: a quantity as written.
ErrCode decode_quantity_text(Decoder *decoder, const Value *value, void *ret_text, Err *err);
// SliceVec.
ErrCode decode_texts(Decoder *decoder, const Value *value, void *ret_texts, Err *err);

// Tables that several kinds use.
extern const FieldTable old_metadata_name_table; // {"name": …} into a struct that begins with the name
extern const FieldTable old_taint_table;         // OldTaint
extern const FieldTable old_requirement_table;   // OldRequirement
extern const FieldTable old_kubelet_table;       // OldKubelet of v1alpha5
extern const FieldTable beta_kubelet_table;      // OldKubelet of v1beta1
extern const FieldTable old_metadata_options_table;
extern const FieldTable old_device_table, beta_device_table;
extern const FieldTable old_reference_table;
extern const FieldTable old_provider_table; // OldAws of an inline provider

// The tables of the kinds.
extern const FieldTable provisioner_table, machine_table, node_template_table;
extern const FieldTable beta_pool_table, beta_claim_table, beta_class_table;

// A copy of `value` without the members that the table does not have; appends these, at most OLD_STRANGERS_MAX, with
// paths that begin below `value`. O(size × members of the table).
Value strangers_without(Arena *arena, const Value *value, const FieldTable *table, OldStrangerVec *strangers);
