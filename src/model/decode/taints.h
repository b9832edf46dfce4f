// Decoder of tolerations.
#pragma once

#include "model/decode/parts.h"

// TolerationVec.
ErrCode decode_tolerations(Decoder *decoder, const Value *value, void *ret_tolerations, Err *err);
