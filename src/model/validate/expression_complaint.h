// Karpenter's runtime validation of one requirement on node labels, of a pod or of a NodePool.
#pragma once

#include "model/requirement.h"

// Why the expression is invalid, several reasons joined with "; "; empty: it is valid. The key is normalised first.
// Checks: the key may be used (model/well_known.h) and is a qualified name; the values are label values; In has values,
// one of them a known one where the possible values are known (capacity type, tenancy); bounds are one natural number.
// O(values). Reference scheduling.md 1.2 and 1.7.
Slice expression_complaint(Arena *arena, Symbols *symbols, const Expression *expression);
