// The keys by which rules that take their selector's values from pods select (matchLabelKeys).
#pragma once

#include "model/objects.h"

// The values that the pod's labels have for the matchLabelKeys and mismatchLabelKeys of its spec, in the order of the
// spec; none: nothing is to be merged. INDEX_NONE for a label that the pod lacks. Reuses the vector's memory.
void label_key_values(Arena *arena, const PodSpec *spec, const Labels *labels, SymbolVec *ret_values);

// A copy with those values in its selectors; what an API server merged before is not added again. Shares the rest with
// `from`.
PodSpec *label_keys_merged(Arena *arena, const PodSpec *from, const Labels *labels);

// Puts matchLabelKeys and mismatchLabelKeys of all pods into their selectors.
void label_keys_merge(Cluster *cluster);
