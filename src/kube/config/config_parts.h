// What the files of the configuration share.
#pragma once

#include "kube/config/config.h"
#include "text/value.h"

// What a context names in the files of a list, first come, first served. NULL: none.
typedef struct {
    const Value *entry; // the "cluster", "user" or "context" below the name
    Slice file;         // that it stands in
} ConfigEntry;
