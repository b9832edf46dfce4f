// What the files that read scenarios share.
#pragma once

#include "sim/scenario/scenario.h"

// One reading; the decoder is first, so that custom decoders reach the rest.
typedef struct {
    Decoder decoder;
    const ScenarioFiles *files;
} Reader;

// --- read_parts.c

ErrCode decode_duration(Decoder *decoder, const Value *value, void *ret_ns, Err *err);
ErrCode decode_signed_duration(Decoder *decoder, const Value *value, void *ret_ns, Err *err);
// "15%" or 15.
ErrCode decode_percent(Decoder *decoder, const Value *value, void *ret_percent, Err *err);
// Decodes a map that has no members but those of the table's fields and `more` (may be NULL): members that no field
// reads are mistakes of the writer, never ignored.
ErrCode decode_strictly(Decoder *decoder, const Value *map, const FieldTable *table, const char *more, void *ret_object,
                        Err *err);
