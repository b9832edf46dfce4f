// Which classes may go to the same places.
#pragma once

#include "sched/packing/pack_builder.h"

// Sorts the classes by signature.
void pack_find_signatures(PackBuilder *builder);
