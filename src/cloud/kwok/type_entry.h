// One entry of a JSON list of instance types. Private to types_read.c.
#pragma once

#include "model/instance_type.h"
#include "text/decode.h"

// Decodes an entry. ERR_INVALID: not as types.h describes it; reported with the path of `decoder`.
ErrCode kwok_type_read(Decoder *decoder, const Value *value, InstanceType *ret_type, Err *err);
