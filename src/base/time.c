// The system's clocks.
#include "base/time.h"

#include "base/check.h"

static int64_t read_clock(clockid_t which) {
    struct timespec time;

    CHECK(clock_gettime(which, &time) == 0, "the system has no clock %d", (int)which);
    return ns_of_timespec(time);
}

int64_t clock_system_wall_ns(void) {
    return read_clock(CLOCK_REALTIME);
}

Mono clock_system_mono(void) {
    return (Mono){read_clock(CLOCK_MONOTONIC)};
}

Mono clock_system_awake(void) {
    return (Mono){read_clock(CLOCK_BOOTTIME)};
}
