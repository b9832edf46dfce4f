// Durations as tests write them, in nanoseconds.
#pragma once

#include "base/time.h"

#define MILLISECONDS(n) ((int64_t)(n)*NS_PER_MS)
#define SECONDS(n)      ((int64_t)(n)*NS_PER_S)
#define MINUTES(n)      ((int64_t)(n)*NS_PER_MIN)

// A moment of the monotonic clock.
#define AT(ns) ((Mono){ns})
