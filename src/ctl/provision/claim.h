// NodeClaims as the provisioners write them. Behaviour: reference scheduling.md 6.1, lifecycle.md 2.2.
#pragma once

#include "model/objects.h"
#include "sched/plan.h"
#include "text/value.h"

enum { PROVISION_DOUBT_S = 5 }; // how long after an unanswered create its NodeClaim may still appear

// What a NodeClaim has besides the template of its NodePool.
typedef struct {
    const Labels *labels;             // of the metadata, complete
    const Requirements *requirements; // of the spec, complete
    const Resources *requests;        // NULL: no requests are written (static NodeClaims)
    Slice name;                       // empty: the API server makes one of the pool's
    Slice linked;                     // provider id of the instance that it is to have; empty: it launches one
    bool is_dynamic;                  // write the annotation about relaxed minValues
    bool min_values_relaxed;
} ClaimContent;

// Value trees of requirements, shared by the NodeClaims of one plan: these have a few dozen different lists of up to
// 600 instance types.
typedef struct {
    Arena *arena;
    IndexMap by_items; // of Requirements.items
    Vec(Value) values;
} ClaimRequirementValues;

// The NodeClaim object. `shared` may be NULL.
Value provision_claim_value(Arena *arena, Symbols *symbols, const NodePool *pool, const ClaimContent *content,
                            ClaimRequirementValues *shared);
// A NodeClaim that no pods ask for: its labels and requirements are those of the pool's template. `name` and `linked`
// as in ClaimContent.
Value provision_claim_of_pool(Arena *arena, Symbols *symbols, const NodePool *pool, Slice name, Slice linked);
