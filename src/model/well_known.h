// Well-known labels of Karpenter and its providers, and label keys that users must not use.
//
// A well-known label may be required although no NodePool defines it. Keys of a restricted domain may be used only if
// they are well known. Reference scheduling.md 1.5 and 1.7, aws.md 1.6 and 4.1, lifecycle.md 8.
#pragma once

#include "model/names.h"

// O(table) comparisons of text.
bool label_is_well_known(const Symbols *symbols, Symbol key);

// The system whose nodes have a label of that key, if it is neither Karpenter's nor its provider's nor user-defined
// ("EKS").
Slice label_owner(const Symbols *symbols, Symbol key);
// The well-known key that was probably meant by an unknown one: Karpenter's name for another program's label, or a key
// that differs by at most two letters. Empty: none.
Slice label_meant(const Symbols *symbols, Symbol key);

// Why the key must not be used in NodePools and pod selectors, in Karpenter's words ("using label … is not allowed …");
// empty: it may.
Slice label_restriction(Arena *arena, const Symbols *symbols, Symbol key);

// Check Kubernetes' syntax of keys, [prefix/]name, and of values. Empty: valid; else Kubernetes' own message.
Slice label_key_complaint(Slice key);
Slice label_value_complaint(Slice value);
