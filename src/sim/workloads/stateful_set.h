// Internals of the StatefulSet controller.
#pragma once

#include "sim/workloads/workload.h"

typedef struct {
    int64_t ordinal;
    Handle handle;
} SurplusPod;

// The pods of a set: those it should have, by ordinal, and surplus ones.
typedef struct {
    Handle *items; // HANDLE_NONE: missing
    uint32_t count;
    Vec(SurplusPod) surplus;
} Members;
