// What the answers of the API server say.
#pragma once

#include "kube/rest/rest_parts.h"

// Parses the answer of a call. ERR_IO: not one JSON map.
ErrCode rest_read(Arena *arena, Slice text, Value *ret_value, KubeError *error);

// The same within the budget of all answers: `ret_charged` is given back (memory_budget_give) when the values are gone,
// or their owner is none of this client's any more. ERR_TOO_LARGE: they do not fit.
ErrCode rest_read_within(KubeRest *rest, Arena *arena, Slice text, Value *ret_value, size_t *ret_charged,
                         KubeError *error);

// Fills `error` from a metav1.Status.
ErrCode rest_status(const Value *status, int http_code, KubeError *error);

// A failure without an answer of the API server.
__attribute__((format(printf, 3, 4))) ErrCode rest_fail(KubeError *error, ErrCode code, const char *format, ...);

// ERR_TOO_LARGE: the budget of all answers is used up.
ErrCode rest_fail_budget(const KubeRest *rest, KubeError *error);
