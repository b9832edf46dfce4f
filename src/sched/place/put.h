// Putting pods where a plan of whole nodes wants them (packing/patterns_place.h, contents/deal_place.h).
#pragma once

#include "sched/input/class_variants.h"
#include "sched/solver.h"

// Puts up to `want` pods of a class on a bin, under the first of the variants that the bin takes, and returns how many.
// O(alternatives) verdicts.
uint32_t put_on_bin(Solver *solver, uint32_t bin, uint32_t class, Alternatives variants, uint32_t want);

// Opens a claim of the pool with up to `want` pods of a class, under the variant with which it costs least, and returns
// how many; 0: it cannot be opened. `ret_bin` is set if it was. O(alternatives) verdicts.
uint32_t put_on_claim(Solver *solver, Pool *pool, uint32_t class, Alternatives variants, uint32_t want,
                      uint32_t *ret_bin);
