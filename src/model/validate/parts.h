// Schema checks that several kinds of objects share. Private to src/model.
#pragma once

#include "model/validate/validate.h"

static inline bool value_is_present(const Value *value) {
    return value && value->kind != VALUE_NULL;
}

// Checks a string member, if present, to be a duration in units of `units`; `never` allows "Never".
ErrCode validate_duration(Decoder *decoder, const Value *map, const char *name, const char *units, bool never,
                          Err *err);

// Checks the CEL rules on the domain of a label key; errors point at `place`.
ErrCode validate_label_domain(Decoder *decoder, const Value *place, Slice key, Err *err);
