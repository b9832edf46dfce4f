// What Karpenter finds wrong with one requirement on node labels, of a pod or of a NodePool.
#pragma once

#include "model/requirement.h"

// Empty when the expression is valid, else the complaints joined with "; ". The key is normalised first. Checks: the
// key may be used (model/well_known.h) and is a qualified name, the values are label values, In has some and a known
// one where the possible values are known (capacity type, tenancy), bounds are one natural number. O(values). Reference
// scheduling.md 1.2 and 1.7.
Slice expression_complaint(Arena *arena, Symbols *symbols, const Expression *expression);
