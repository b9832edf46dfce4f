// The types that a claim can list in its spec.
//
// Where offerings of one type differ in capacity (overrides), a claim may have some rows of a type that hold its pods
// and others that do not, and a launch would choose freely among their offerings. While pods are placed this is
// ignored: the expected price is that of a row that holds the pods. When the claim is written it is tied, which is a
// restriction no stronger than that price requires: the type is left out, or a capacity type, a zone, or both are
// required.
#pragma once

#include "sched/solver.h"

// Whether the rows have enough values for the claim's minValues if it is in label state `state`.
bool claim_min_values_met(const Solver *solver, const Bin *bin, uint32_t state, const uint64_t *rows);

// Ties the claim in label state `state` with types `rows`: finds the state that it must require and the rows that are
// left, each of which holds its pods. It is the cheapest tie that meets minValues, of equally cheap ones the least
// restrictive. False: no tie meets minValues, and the result is the cheapest one. O(words) where each type has one row,
// else O(shapes × types).
bool claim_tie(Solver *solver, const Bin *bin, uint32_t state, const uint64_t *rows, uint32_t *ret_state,
               uint64_t *ret_rows);

// Whether claim_tie returns true.
bool claim_can_list(Solver *solver, const Bin *bin, uint32_t state, const uint64_t *rows);
