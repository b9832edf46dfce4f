// Classes merged into items.
#pragma once

#include "sched/packing/pack_builder.h"

// Finds the rules that limit how many pods share a node, and keeps those that need most nodes.
void pack_find_groups(PackBuilder *builder);

// The size of a pod of the class, in the dimensions of the packing.
void pack_fill_size(const PackBuilder *builder, uint32_t class_number, int64_t *ret_size);

// Makes the items, sets of classes of equal size, family and rules.
void pack_add_items(PackBuilder *builder);
