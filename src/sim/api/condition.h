// Conditions in the status of an object. Private to src/sim/api.
#pragma once

#include "sim/api/server.h"

// The condition of that type, or NULL.
const Value *condition_find(const Value *object, const char *type);

// Sets a condition; lastTransitionTime moves when the status changes. Empty texts are omitted. Returns whether anything
// changed.
bool condition_set(const Request *request, Value *object, const char *type, const char *status, const char *reason,
                   const char *message);
