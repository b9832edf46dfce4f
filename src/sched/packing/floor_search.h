// The search for prices that prove a higher floor: cutting planes on the dual of the packing problem (Kelley; Gilmore
// and Gomory).
//
// The duals of the master program are prices; for each kind of node a content worth more than the kind costs is
// searched. If branch and bound finds one, it becomes a column. If it can neither find one nor exclude it, the solution
// of the linear relaxation becomes a column, fractions included (a mix). When no kind is violated any more, the prices
// are proven. Kinds whose mixes the program uses are then searched again with more steps of branching, without mixes.
#pragma once

#include "sched/packing/floor.h"
#include "sched/packing/patterns.h"

typedef struct {
    uint64_t work;       // elementary operations
    uint32_t steps_most; // steps of branching per knapsack
} FloorEffort;

// Raises the floor of the proof until the effort is used up. Starts from the patterns, and may add some.
// O(rounds × (a linear program of items × columns + kinds × knapsack)).
void floor_proof_raise(FloorProof *proof, Patterns *patterns, const FloorEffort *effort);
