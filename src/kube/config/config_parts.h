// Types shared by the files of kube/config.
#pragma once

#include "kube/config/config.h"
#include "text/value.h"

// An entry of a kubeconfig's lists, by name; the first file that has the name wins. entry NULL: none.
typedef struct {
    const Value *entry; // the "cluster", "user" or "context" below the name
    Slice file;         // that it stands in
} ConfigEntry;
