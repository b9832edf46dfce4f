// The NodeClaim as it is written: reference scheduling.md 6.1, lifecycle.md 2.2.
#pragma once

#include "model/objects.h"
#include "sched/plan.h"
#include "text/value.h"

enum { PROVISION_DOUBT_S = 5 }; // how long a create that was not answered may still be on its way

// What the pool's template does not say.
typedef struct {
    const Labels *labels;             // of the metadata
    const Requirements *requirements; // as they are written
    const Resources *requests;        // NULL: none are written (static)
    bool is_dynamic;                  // with the annotation of relaxed minValues
    bool min_values_relaxed;
} ClaimContent;

// Trees of requirements that claims share: those of one plan have a few dozen lists of up to 600 types.
typedef struct {
    Arena *arena;
    IndexMap by_items; // of Requirements.items
    Vec(Value) values;
} ClaimRequirementValues;

// The whole object, without a name: the API server makes one from generateName. `shared` may be NULL.
Value provision_claim_value(Arena *arena, Symbols *symbols, const NodePool *pool, const ClaimContent *content,
                            ClaimRequirementValues *shared);

// What a claim of the pool says when nothing but the template decides: labels (template, NodePool, NodeClass, and a
// value for each custom label that the requirements name) and requirements (those of the spec and the labels).
// scheduling.md 5.2, 8.4. In `arena`.
void provision_claim_template(Arena *arena, Symbols *symbols, const NodePool *pool, Labels *ret_labels,
                              Requirements *ret_requirements);

// The label that names the NodeClass: "karpenter.k8s.aws/ec2nodeclass".
Symbol provision_class_label(Arena *arena, Symbols *symbols, const NodeClassRef *ref);
