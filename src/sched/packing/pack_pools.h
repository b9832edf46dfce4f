// The kinds of nodes that pools can open.
#pragma once

#include "sched/packing/pack_builder.h"

// Adds the kinds of pools; `families` of a kind are signatures until all kinds are known.
void pack_add_pools(PackBuilder *builder);
