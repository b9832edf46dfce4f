// What a NodeClaim is by the template of its NodePool alone. Reference scheduling.md 5.2, 8.4.
#pragma once

#include "model/objects.h"
#include "model/requirement.h"

// Labels and requirements of a NodeClaim for which only the pool's template decides: labels (of the template, NodePool,
// NodeClass, and a value for each custom label that the requirements name) and requirements (of the spec and from the
// labels). scheduling.md 5.2, 8.4. In `arena`.
void claim_template(Arena *arena, Symbols *symbols, const NodePool *pool, Labels *ret_labels,
                    Requirements *ret_requirements);

// The label that names the NodeClass: "karpenter.k8s.aws/ec2nodeclass".
Symbol node_class_label(Arena *arena, Symbols *symbols, const NodeClassRef *ref);
