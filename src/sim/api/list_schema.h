// Which lists of built-in kinds are maps or sets, by the name of the member that holds them: strategic merge patches
// merge these by element.
//
// The names are those of pod specs, nodes, services, claims and metadata; the same name means the same everywhere it
// occurs in the kinds that the embedded server knows.
// Source: the +patchMergeKey marks of k8s.io/api v0.36. Private to src/sim/api.
#pragma once

#include "base/slice.h"

typedef enum { LIST_ATOMIC, LIST_SET, LIST_MAP } ListType;

typedef struct {
    ListType type;
    Slice key; // LIST_MAP: the member that tells one element from another
} ListSchema;

ListSchema list_schema(Slice name);
