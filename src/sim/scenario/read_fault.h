// Reading faults.
#pragma once

#include "sim/scenario/read_parts.h"

ErrCode decode_fault(Decoder *decoder, const Value *value, ScenarioFault *fault, Err *err);
