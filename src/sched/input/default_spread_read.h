// Reading the default spread from a scheduler configuration.
#pragma once

#include "sched/input/default_spread.h"

// Reads `podTopologySpread.defaultConstraints` from YAML or JSON, strictly: unknown fields, a selector,
// matchLabelKeys, duplicates, a skew below 1 or a missing key are ERR_INVALID with path and line.
ErrCode default_spread_read(Arena *arena, Symbols *symbols, Slice file, Slice text, DefaultSpread *ret_spread,
                            Err *err);
