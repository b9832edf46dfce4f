// ListSchema: which lists of built-in kinds are maps or sets, by member name; strategic merge patches merge these by
// element.
//
// The names are those of pod specs, nodes, services, claims and metadata; a name means the same wherever it occurs in
// the kinds of the embedded server. Source: the +patchMergeKey marks of k8s.io/api v0.36. Private to src/sim/api.
#pragma once

#include "base/slice.h"

typedef enum { LIST_ATOMIC, LIST_SET, LIST_MAP } ListType;

typedef struct {
    ListType type;
    Slice key; // LIST_MAP: the member that identifies an element
} ListSchema;

ListSchema list_schema(Slice name);
