// The search for prices that prove more: cutting planes on the dual of the packing problem (Kelley; Gilmore and
// Gomory).
//
// The master program is asked for prices; each kind of node is asked for a content worth more than it costs. Where
// branch and bound finds one, it becomes a column; where it can neither find one nor exclude it, what the linear
// relaxation takes becomes a column, fractions included (a mix). When no kind is violated any more, the prices are
// proven. Kinds whose mixes hold the program down are then asked again with more steps of branching, without their
// mixes.
#pragma once

#include "sched/packing/floor.h"
#include "sched/packing/patterns.h"

typedef struct {
    uint64_t work;       // elementary operations
    uint32_t steps_most; // of branching per question
} FloorEffort;

// Raises the proof as far as the effort reaches. Starts from the patterns, and may add some.
// O(rounds × (a linear program of items × columns + kinds × knapsack)).
void floor_proof_raise(FloorProof *proof, Patterns *patterns, const FloorEffort *effort);
