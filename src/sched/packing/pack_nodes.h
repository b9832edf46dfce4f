// Existing nodes as kinds.
#pragma once

#include "sched/packing/pack_builder.h"

// Adds the kinds of existing nodes; `families` as for pools.
void pack_add_nodes(PackBuilder *builder);
