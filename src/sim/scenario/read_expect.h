// Reading expectations.
#pragma once

#include "sim/scenario/read_parts.h"

ErrCode decode_expectations(Decoder *decoder, const Value *value, ExpectationVec *expectations, Err *err);
