// ClaimSpec: the parts of a planned NodeClaim that do not depend on its pods. Claims of one pool with equal label
// states and types share it, so that a plan of thousands of claims has a few dozen lists of types.
#pragma once

#include "sched/solver.h"

typedef struct {
    const Pool *pool;
    uint32_t from_state; // label state of the claim that it was made for
    const uint64_t *from_rows;
    uint64_t *rows; // the listed rows: at most PlanInput.max_instance_types
    LaunchOption launch;
    InstanceTypeList types; // cheapest first
    Requirements requirements;
    Labels labels;
    int64_t *overhead; // the least daemon overhead of the rows, per dimension
} ClaimSpec;

typedef struct {
    IndexMap index;
    Vec(ClaimSpec *) specs;
} ClaimSpecs;

// The spec of a claim, made when no earlier claim has an equal one. O(types) to make, O(words) to find.
const ClaimSpec *claim_spec(Solver *solver, ClaimSpecs *specs, const Bin *bin);
