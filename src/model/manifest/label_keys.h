// matchLabelKeys and mismatchLabelKeys: merging a pod's label values into the selectors of its affinity and spread.
#pragma once

#include "model/objects.h"

// The pod's label values for the matchLabelKeys and mismatchLabelKeys of its spec, in the order of the spec; empty:
// nothing to merge. INDEX_NONE for a label that the pod lacks. Reuses the vector's memory.
void label_key_values(Arena *arena, const PodSpec *spec, const Labels *labels, SymbolVec *ret_values);

// A copy with those values in its selectors; expressions that an API server merged before are not repeated. Shares the
// other members with `from`.
PodSpec *label_keys_merged(Arena *arena, const PodSpec *from, const Labels *labels);

// Merges matchLabelKeys and mismatchLabelKeys of all pods into their selectors.
void label_keys_merge(Cluster *cluster);
