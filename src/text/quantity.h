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

// Parses the whole of `text`. O(length), allocates nothing. Exact for any number of digits.
// ERR_INVALID: not in the grammar. ERR_RANGE: does not fit 63 bits in base units.
ErrCode quantity_parse(Slice text, QuantityScale scale, int64_t *ret_value, Err *err);

// How a quantity is printed: as decimal units ("1500m", "2", "10k") or as binary ones ("2Gi", "1500Mi").
typedef enum { QUANTITY_DECIMAL, QUANTITY_BINARY } QuantityFormat;

// The canonical form: no fraction, the largest suffix that keeps it an integer. QUANTITY_BINARY falls back to plain
// digits below 1024 or when no power of 1024 divides it.
Slice quantity_print(Arena *arena, int64_t value, QuantityScale scale, QuantityFormat format);

// Canonical form of a quantity as written, in the format it was written in ("1024Gi" gives "1Ti", "2G" stays,
// "0.5" gives "500m"): what Go's Quantity.String() prints after parsing.
ErrCode quantity_canonical(Arena *arena, Slice text, Slice *ret_text, Err *err);
