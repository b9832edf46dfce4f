// Checks that the schema rules of several objects share. Private to src/model.
#pragma once

#include "model/validate/validate.h"

static inline bool value_is_present(const Value *value) {
    return value && value->kind != VALUE_NULL;
}

// A string member, when present, must be a duration in units out of `units`; `never` allows "Never".
ErrCode validate_duration(Decoder *decoder, const Value *map, const char *name, const char *units, bool never,
                          Err *err);

// The CEL rules on the domain of a label key; `place` is what the complaint points at.
ErrCode validate_label_domain(Decoder *decoder, const Value *place, Slice key, Err *err);
