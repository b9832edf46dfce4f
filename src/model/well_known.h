// Label keys that Karpenter and its providers give meaning to, and which keys users may not take.
//
// A well-known label may be asked for although no NodePool defines it. Keys of a restricted domain may only be used
// when they are well known. Reference scheduling.md 1.5 and 1.7, aws.md 1.6 and 4.1, lifecycle.md 8.
#pragma once

#include "model/names.h"

// O(table) text comparisons.
bool label_is_well_known(const Symbols *symbols, Symbol key);

// Who gives its nodes a label of that key, where it is neither Karpenter's nor its provider's nor the user's own
// ("EKS").
Slice label_owner(const Symbols *symbols, Symbol key);
// The well-known key that was meant by one that is none: what another program's label says in Karpenter's words, or one
// that is at most two letters away. Empty: none.
Slice label_meant(const Symbols *symbols, Symbol key);

// Empty when the key may be used in NodePools and pod selectors, else Karpenter's text ("using label … is not allowed
// …").
Slice label_restriction(Arena *arena, const Symbols *symbols, Symbol key);

// Kubernetes' syntax: [prefix/]name, and label values. Empty when valid, else Kubernetes' own complaint.
Slice label_key_complaint(Slice key);
Slice label_value_complaint(Slice value);
