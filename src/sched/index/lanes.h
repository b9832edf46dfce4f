// Vectorized loops over packed 32-bit numbers, for comparing thousands of bins or types per microsecond.
#pragma once

#include <stdint.h>

// excess[i] = max(excess[i], load[i] - most).
void lanes_excess(const int32_t *load, int32_t most, uint32_t count, int32_t *excess);

// The indexes of those numbers that are at most 0, in order; returns how many. Where few are, it costs one step for
// sixteen.
uint32_t lanes_within(const int32_t *excess, uint32_t count, uint32_t *ret_lanes);

// counts[i] = min(counts[i], free[i] * per_unit), rounded down.
void lanes_fit(const int32_t *free, float per_unit, uint32_t count, int32_t *counts);

// shares[i] = prices[i] / counts[i]; INFINITY where the count is not above 0.
void lanes_share(const float *prices, const int32_t *counts, uint32_t count, float *ret_shares);

// values[i] = max(values[i], values[i - back] + more), for i from `back` (at least 1) on, in this order.
void lanes_raise(uint32_t back, double more, uint32_t count, double *values);
