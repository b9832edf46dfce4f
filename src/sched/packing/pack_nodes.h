// Existing nodes as kinds.
#pragma once

#include "sched/packing/pack_builder.h"

// Adds a kind for each node; `families` as for pools.
void pack_add_nodes(PackBuilder *builder);
