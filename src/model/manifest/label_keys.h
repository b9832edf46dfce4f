// The keys by which rules that take their selector's values from pods select (matchLabelKeys).
#pragma once

#include "model/manifest/state.h"

// Puts matchLabelKeys and mismatchLabelKeys of all pods into their selectors.
void label_keys_merge(Cluster *cluster);
