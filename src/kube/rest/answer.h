// Parsing of the API server's answers.
#pragma once

#include "kube/rest/rest_parts.h"

// Parses the answer of a call. ERR_IO: it is not one JSON object.
ErrCode rest_read(Arena *arena, Slice text, Value *ret_value, KubeError *error);

// The same, charged to the budget of all answers: the caller returns `ret_charged` (memory_budget_give) when the values
// are freed or passed on to somebody outside of this client. ERR_TOO_LARGE: they exceed the budget.
ErrCode rest_read_within(KubeRest *rest, Arena *arena, Slice text, Value *ret_value, size_t *ret_charged,
                         KubeError *error);

// Fills `error` from a metav1.Status.
ErrCode rest_status(const Value *status, int http_code, KubeError *error);

// Fills `error` for a failure without an answer of the API server.
__attribute__((format(printf, 3, 4))) ErrCode rest_fail(KubeError *error, ErrCode code, const char *format, ...);

// Fills `error` with ERR_TOO_LARGE: the budget of all answers is used up.
ErrCode rest_fail_budget(const KubeRest *rest, KubeError *error);
