// The system's clock.
#include "engine/clock.h"

static int64_t system_wall_ns(void *self) {
    (void)self;
    return clock_system_wall_ns();
}

// CLOCK_BOOTTIME: goes on while the machine sleeps, so that a process that wakes up sees that its lease has expired.
static Mono system_now(void *self) {
    (void)self;
    return clock_system_awake();
}

Clock clock_real(void) {
    return (Clock){system_wall_ns, system_now, NULL};
}
