// Kubernetes quantities ("250m", "1.5Gi", "2e3") as exact integers.
//
// A quantity is kept in the base unit of its resource: CPU in milli-CPU, memory and storage in bytes, the rest in
// units. Fractions of a base unit round up (away from zero), as the API server does, so a request is never understated.
// Behaviour: reference scheduling.md 3; grammar of k8s.io/apimachinery/pkg/api/resource: sign, decimal digits with an
// optional point, and a suffix of n u m "" k M G T P E, Ki Mi Gi Ti Pi Ei, or e/E with a signed integer.
#pragma once

#include "base/arena.h"
#include "base/err.h"

typedef enum { QUANTITY_UNIT, QUANTITY_MILLI } QuantityScale;

// Parses the whole of `text`. O(length), without allocation. Exact for any number of digits. ERR_INVALID: a syntax
// error. ERR_RANGE: does not fit 63 bits in base units.
ErrCode quantity_parse(Slice text, QuantityScale scale, int64_t *ret_value, Err *err);

// Output format: decimal units ("1500m", "2", "10k") or binary ones ("2Gi", "1500Mi").
typedef enum { QUANTITY_DECIMAL, QUANTITY_BINARY } QuantityFormat;

// Formats canonically: without fraction, with the largest suffix that leaves an integer. QUANTITY_BINARY uses plain
// digits below 1024, or when the value is no multiple of a power of 1024.
Slice quantity_print(Arena *arena, int64_t value, QuantityScale scale, QuantityFormat format);

// The canonical form of a quantity in its own format ("1024Gi" gives "1Ti", "2G" stays, "0.5" gives "500m"): as Go's
// Quantity.String() prints it after parsing.
ErrCode quantity_canonical(Arena *arena, Slice text, Slice *ret_text, Err *err);
