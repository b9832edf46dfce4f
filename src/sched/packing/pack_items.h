// Classes merged into items.
#pragma once

#include "sched/packing/pack_builder.h"

// Finds the rules that can matter.
void pack_find_groups(PackBuilder *builder);

// Makes the items.
void pack_add_items(PackBuilder *builder);
