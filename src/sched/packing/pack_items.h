// Classes merged into items.
#pragma once

#include "sched/packing/pack_builder.h"

// Finds the rules that limit how many pods share a node, and keeps those that need most nodes.
void pack_find_groups(PackBuilder *builder);

// Makes the items, sets of classes of equal size, family and rules.
void pack_add_items(PackBuilder *builder);
