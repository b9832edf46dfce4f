// Which of its types a claim can list.
//
// Where offerings of one type differ in room (capacity overrides), a claim may have rows of a type that hold its pods
// beside rows that do not, and a launch would choose freely. While placing goes on nothing is done about that: what a
// claim is expected to cost is the price of a row that holds its pods. When it is written down it is tied, as little
// as that price allows: the type is left out, or the claim requires a capacity type, a zone, or both.
#pragma once

#include "sched/solver.h"

// Whether the rows have the values that the claim's minValues want, were it in `state`.
bool claim_min_values_met(const Solver *solver, const Bin *bin, uint32_t state, const uint64_t *rows);

// Ties the claim, were it in `state` with the types `rows`: the state it must require and the rows that are left then,
// every launch of which holds its pods. The cheapest way that meets minValues; of equally cheap ones the widest. False:
// no way meets them, and it is the cheapest one that does not. O(words) where types have one row each, else O(shapes ×
// types).
bool claim_tie(Solver *solver, const Bin *bin, uint32_t state, const uint64_t *rows, uint32_t *ret_state,
               uint64_t *ret_rows);

// Whether claim_tie finds a way.
bool claim_can_list(Solver *solver, const Bin *bin, uint32_t state, const uint64_t *rows);
