// Time as a table of functions. The real clock reads the system; the virtual one is moved by the simulator.
#pragma once

#include "base/time.h"

typedef struct {
    int64_t (*wall_ns)(void *self); // since 1970, as this machine has it: for logs; may be set, and may be wrong
    Mono (*now)(void *self);        // never goes back, goes on in sleep
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
