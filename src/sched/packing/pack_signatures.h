// Signatures: sets of classes that may go to the same places.
#pragma once

#include "sched/packing/pack_builder.h"

// Sets the signature of each class.
void pack_find_signatures(PackBuilder *builder);

// Whether variants, volumes and host ports of the two classes let them go to the same places. O(variants).
bool pack_same_places(const PodClass *a, const PodClass *b);
