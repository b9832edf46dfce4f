// gcc compiles the loops for several generations of x86-64, and the loader chooses by the machine. Not under
// sanitizers, which are initialized after the choice, and not with clang, whose builds are for checking only.
#include "sched/index/lanes.h"

#include <math.h>

#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE        __attribute__((optimize("O3"), target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define INDEPENDENT _Pragma("GCC ivdep") // the steps of the loop do not depend on each other
#else
#define WIDE
#define INDEPENDENT
#endif

WIDE void lanes_excess(const int32_t *load, int32_t most, uint32_t count, int32_t *excess) {
    for (uint32_t i = 0; i < count; i++) {
        int32_t over = load[i] - most;

        excess[i] = over > excess[i] ? over : excess[i];
    }
}

WIDE uint32_t lanes_within(const int32_t *excess, uint32_t count, uint32_t *ret_lanes) {
    enum { STEP = 16 };
    uint32_t found = 0, at = 0;

    for (; at + STEP <= count; at += STEP) {
        uint32_t bits = 0;

        for (uint32_t i = 0; i < STEP; i++)
            bits |= (uint32_t)(excess[at + i] <= 0) << i;
        for (; bits; bits &= bits - 1)
            ret_lanes[found++] = at + (uint32_t)__builtin_ctz(bits);
    }
    for (; at < count; at++) {
        ret_lanes[found] = at;
        found += excess[at] <= 0;
    }
    return found;
}

WIDE void lanes_fit(const int32_t *free, float per_unit, uint32_t count, int32_t *counts) {
    for (uint32_t i = 0; i < count; i++) {
        int32_t fit = (int32_t)((float)free[i] * per_unit);

        counts[i] = fit < counts[i] ? fit : counts[i];
    }
}

WIDE void lanes_share(const float *prices, const int32_t *counts, uint32_t count, float *ret_shares) {
    for (uint32_t i = 0; i < count; i++) {
        float share = prices[i] / (float)counts[i];

        ret_shares[i] = counts[i] > 0 ? share : INFINITY;
    }
}

WIDE void lanes_raise(uint32_t back, double more, uint32_t count, double *values) {
    for (uint32_t start = back; start < count; start += back) {
        uint32_t independent = count - start < back ? count - start : back;
        const double *from = values + start - back;
        double *to = values + start;

        INDEPENDENT
        for (uint32_t i = 0; i < independent; i++) {
            double with = from[i] + more;

            to[i] = with > to[i] ? with : to[i];
        }
    }
}
