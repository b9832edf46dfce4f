// Vectorized loops over packed 32-bit numbers, for comparing thousands of bins or types per microsecond.
#pragma once

#include <stdint.h>

// excess[i] = max(excess[i], load[i] - most).
void lanes_excess(const int32_t *load, int32_t most, uint32_t count, int32_t *excess);

// counts[i] = min(counts[i], free[i] * per_unit), rounded down.
void lanes_fit(const int32_t *free, float per_unit, uint32_t count, int32_t *counts);
