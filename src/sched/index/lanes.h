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
