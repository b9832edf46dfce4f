// Clock: a table of functions for time. The real clock reads the system's; the simulator moves a virtual one.
#pragma once

#include "base/time.h"

typedef struct {
    int64_t (*wall_ns)(void *self); // wall time of this machine since 1970: for logs; may be set, and may be wrong
    Mono (*now)(void *self);        // monotonic; goes on while the machine sleeps
    void *self;
} Clock;

static inline int64_t clock_wall_ns(Clock clock) {
    return clock.wall_ns(clock.self);
}

static inline Mono clock_now(Clock clock) {
    return clock.now(clock.self);
}

// The system's clock.
Clock clock_real(void);
