// Shrinking a failing case: drops objects and instance types while it fails in the same way.
#pragma once

#include "text/value.h"

// Whether manifests (a List) and catalogue still fail as the original did.
typedef bool (*StillFails)(void *context, const Value *manifests, const Value *catalog);

// Drops items of `manifests` and elements of `catalog`, in place, first in chunks and then one by one, until none can
// be dropped. Calls `still_fails` at most `tries` times.
void shrink_case(Value *manifests, Value *catalog, uint32_t tries, StillFails still_fails, void *context);
