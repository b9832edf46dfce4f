// Translation of objects between symbol tables.
#pragma once

#include "sim/cloud/cloud_parts.h"

// The symbol of the same text in another table; interned there permanently. Names of model/names.h are equal
// everywhere.
Symbol cloud_symbol_translate(const Symbols *from, Symbols *to, Symbol symbol);
Labels cloud_labels_translate(Arena *arena, const Symbols *from, Symbols *to, const Labels *labels);
Resources cloud_resources_translate(Arena *arena, const Symbols *from, Symbols *to, const Resources *list);
EC2NodeClass cloud_class_translate(Arena *arena, const Symbols *from, Symbols *to, const EC2NodeClass *node_class);
