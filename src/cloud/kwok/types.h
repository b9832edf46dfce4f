// Instance types without a cloud: Karpenter's default KWOK types, and JSON lists of users (`--catalog`).
//
// The JSON is what Karpenter's KWOK provider reads, with optional extensions: a list of
//   { "name", "architecture", "operatingSystems": [...], "resources": {...},
//     "offerings": [ { "Price", "Available", "Requirements": [ {"key", "operator", "values"} ], "ReservationCapacity",
//                      "capacityOverride": {...}, "overheadOverride": {...} } ],
//     "overhead": {...}, "requirements": [...], "volumeLimits": {"driver": count} }
// Behaviour: reference lifecycle.md 8.
#pragma once

#include "base/err.h"
#include "model/instance_type.h"

// The 144 default types of Karpenter's KWOK build, computed by their formula. Sorted by CPU, memory, operating system,
// architecture, as there.
InstanceTypeVec kwok_default_types(Arena *arena, Symbols *symbols);

// Parses a list of types and keeps its order; `file` is for messages. Difference from KWOK's reader, which makes every
// offering available: an explicit "Available": false is honoured. Entries that differ only in operating systems and
// architecture are merged into one type, as Karpenter's example list has them. O(length). ERR_INVALID: not JSON, or an
// entry that is not as above; the text names file, path of the field, and line.
ErrCode kwok_types_read(Arena *arena, Symbols *symbols, Slice file, Slice text, InstanceTypeVec *ret_types, Err *err);
