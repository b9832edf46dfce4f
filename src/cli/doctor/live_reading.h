// What the questions of the live doctor share.
#pragma once

#include "cli/doctor/live_options.h"
#include "doctor/facts.h"
#include "kube/rest/rest.h"

typedef struct {
    Arena *arena;
    const LiveOptions *options;
    KubeRest *rest;
    Facts *facts;
} LiveReading;

// Notes that a read was answered, or `error`; texts are copied. O(size).
void live_note_read(const LiveReading *reading, FactRead read, const KubeError *error);
// Reads a path of the API server; the answer's lines are forgotten. ERR_INVALID: it is no document. Further: as
// kube_rest_read.
ErrCode live_get(const LiveReading *reading, const char *path, Value *ret_value, KubeError *error);
