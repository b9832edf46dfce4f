// Signatures: sets of classes that may go to the same places.
#pragma once

#include "sched/packing/pack_builder.h"

// Sets the signature of each class.
void pack_find_signatures(PackBuilder *builder);
