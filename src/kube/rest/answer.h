// What the answers of the API server say.
#pragma once

#include "kube/rest/rest_parts.h"

// Parses the answer of a call. ERR_IO: not one JSON map.
ErrCode rest_read(Arena *arena, Slice text, Value *ret_value, KubeError *error);

// Fills `error` from a metav1.Status.
ErrCode rest_status(const Value *status, int http_code, KubeError *error);

// A failure without an answer of the API server.
__attribute__((format(printf, 3, 4))) ErrCode rest_fail(KubeError *error, ErrCode code, const char *format, ...);
