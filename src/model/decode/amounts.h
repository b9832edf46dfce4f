// Decoding resources.
#pragma once

#include "model/decode/parts.h"

// Resources: a map of quantities; the second refuses negative ones, as the API server does for pods.
ErrCode decode_resources(Decoder *decoder, const Value *value, void *ret_resources, Err *err);
ErrCode decode_requests(Decoder *decoder, const Value *value, void *ret_resources, Err *err);
