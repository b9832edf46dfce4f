// Makes a failing case small: drops objects and instance types as long as it keeps failing in the same way.
#pragma once

#include "text/value.h"

// Whether manifests (a List) and catalogue still fail as the original did.
typedef bool (*StillFails)(void *context, const Value *manifests, const Value *catalog);

// Drops items of `manifests` and elements of `catalog`, in place, chunk by chunk and then one by one, until nothing
// more can go. At most `tries` questions.
void shrink_case(Value *manifests, Value *catalog, uint32_t tries, StillFails still_fails, void *context);
