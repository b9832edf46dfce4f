// Helpers for reading scenarios.
#pragma once

#include "sim/scenario/scenario.h"

// Reader of a scenario; the decoder is first, so that custom decoders reach the rest.
typedef struct {
    Decoder decoder;
    const ScenarioFiles *files;
} Reader;

// --- read_parts.c

ErrCode decode_duration(Decoder *decoder, const Value *value, void *ret_ns, Err *err);
ErrCode decode_signed_duration(Decoder *decoder, const Value *value, void *ret_ns, Err *err);
// Decodes "15%" or 15.
ErrCode decode_percent(Decoder *decoder, const Value *value, void *ret_percent, Err *err);
// Decodes a map that may have no members other than the table's fields and `more` (may be NULL): an unknown member is
// an error, never ignored.
ErrCode decode_strictly(Decoder *decoder, const Value *map, const FieldTable *table, const char *more, void *ret_object,
                        Err *err);
