// Durations and times in Kubernetes' formats.
#pragma once

#include "base/arena.h"
#include "base/err.h"

// Parses as Go's time.ParseDuration: "1h30m", "1.5h", "300ms", "-2s", "0". ERR_INVALID; ERR_RANGE (over 63 bits of
// nanoseconds).
ErrCode duration_parse(Slice text, int64_t *ret_ns, Err *err);

// Formats as Go's Duration.String(): "720h0m0s", "1m30s", "1.5s", "0s".
Slice duration_print(Arena *arena, int64_t ns);

// Parses RFC 3339 ("2026-11-21T05:00:00Z", offsets and fractions allowed) to nanoseconds since 1970. ERR_INVALID.
ErrCode time_parse(Slice text, int64_t *ret_ns, Err *err);

// Formats as RFC 3339 in UTC with whole seconds, as metav1.Time does.
Slice time_print(Arena *arena, int64_t ns);
