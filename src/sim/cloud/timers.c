// Timers of instances, and random durations.
#include "sim/cloud/timers.h"

int64_t cloud_draw(Random *random, SimSpan span, uint32_t percent) {
    uint64_t width = (uint64_t)(span.most_ns - span.least_ns) + 1;
    int64_t drawn = span.least_ns + (int64_t)(random_u64(random) % width);

    return percent == 100 ? drawn : (int64_t)((Int128)drawn * percent / 100);
}

// A timer's context is its type and number, so nothing is allocated.
void cloud_set_timer(SimCloud *cloud, int64_t at_ns, TimerType type, uint32_t number) {
    world_alarms_set(&cloud->timers, at_ns, NULL, (void *)((uintptr_t)type << 32 | number));
}
