// The kinds of nodes that pools can create.
#pragma once

#include "sched/packing/pack_builder.h"

// Adds the kinds of all pools. Their `families` are signatures until all kinds are known.
void pack_add_pools(PackBuilder *builder);
