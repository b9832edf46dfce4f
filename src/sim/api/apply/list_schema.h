// Which lists of Kubernetes objects are maps or sets, by the name of the member that holds them.
//
// The names are those of pod specs, nodes, services, claims and metadata; the same name means the same everywhere it
// occurs in the kinds that the embedded server knows. Lists of custom kinds are atomic, but for conditions and those in
// metadata.
// Source: the +patchMergeKey and +listMapKey marks of k8s.io/api v0.36. Private to src/sim/api.
#pragma once

#include "base/slice.h"

typedef enum { LIST_ATOMIC, LIST_SET, LIST_MAP } ListType;

enum { LIST_KEYS_MAX = 2 };

typedef struct {
    ListType type;
    Slice patch_key; // strategic merge patch: the one key
    uint32_t key_count;
    struct {
        Slice name;
        Slice fallback;    // what an absent key means ("TCP"); empty: it must be there
    } keys[LIST_KEYS_MAX]; // server-side apply
} ListSchema;

// The schema of the list in member `name`; `in_metadata`: somewhere below metadata; `custom`: of a custom kind.
ListSchema list_schema(Slice name, bool custom, bool in_metadata);
