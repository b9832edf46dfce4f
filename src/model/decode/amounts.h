// Decoders of Resources.
#pragma once

#include "model/decode/parts.h"

// Resources from a map of quantities; decode_requests refuses negative ones, as the API server does for pods.
ErrCode decode_resources(Decoder *decoder, const Value *value, void *ret_resources, Err *err);
ErrCode decode_requests(Decoder *decoder, const Value *value, void *ret_resources, Err *err);
