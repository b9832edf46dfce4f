// Updates, patches and applies.
#pragma once

#include "sim/api/server.h"

typedef enum { WRITE_UPDATE, WRITE_PATCH } WriteVerb;

// Writes `next`, the whole object as it should be, with the resourceVersion that it was made from, or none.
ErrCode do_write(const Request *request, Entry *entry, KubePart part, WriteVerb verb, Value *next, Arena *arena,
                 Value *ret_object);

ErrCode do_update(Request *request, KubePart part, const Value *object, Arena *arena, Value *ret_object);
ErrCode do_patch(Request *request, KubePart part, const KubePatch *patch, Arena *arena, Value *ret_object);
