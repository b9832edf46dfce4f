// Time as a table of functions. The real clock reads the system; the virtual one is moved by the simulator.
#pragma once

#include <stdint.h>

typedef struct {
    int64_t (*now_ns)(void *self);       // since 1970: stands in objects, compared with theirs
    int64_t (*monotonic_ns)(void *self); // never goes back, goes on in sleep; the virtual clock gives the same for both
    void *self;
} Clock;

static inline int64_t clock_now_ns(Clock clock) {
    return clock.now_ns(clock.self);
}

static inline int64_t clock_monotonic_ns(Clock clock) {
    return clock.monotonic_ns(clock.self);
}

// The system's clock.
Clock clock_real(void);
