// The system's clock.
#include "engine/clock.h"

#include "base/check.h"

#include <time.h>

static int64_t read_clock(clockid_t which) {
    struct timespec time;

    CHECK(clock_gettime(which, &time) == 0, "the system has no clock %d", (int)which);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int64_t system_now(void *self) {
    (void)self;
    return read_clock(CLOCK_REALTIME);
}

// Goes on while the machine sleeps: a process that wakes up must see that its lease is over.
static int64_t system_monotonic(void *self) {
    (void)self;
    return read_clock(CLOCK_BOOTTIME);
}

Clock clock_real(void) {
    return (Clock){system_now, system_monotonic, NULL};
}
