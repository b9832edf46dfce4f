// metadata of objects: reading, changing, and the rules for all kinds. Private to src/sim/api.
#pragma once

#include "sim/api/rules/rules.h"
#include "text/value_edit.h"

#define FINALIZER_ORPHAN     "orphan"
#define FINALIZER_FOREGROUND "foregroundDeletion"

// metadata of an object, made when absent.
Value *meta_of(Arena *arena, Value *object);

// Remove members that Go's types do not distinguish from absent ones: null anywhere in maps; for built-in kinds also
// empty lists and maps that their types omit; and empty members of metadata.
void meta_drop_nulls(Value *value, bool built_in);
void meta_drop_empty(Value *object);

bool meta_has_finalizer(const Value *object, const char *finalizer);
uint32_t meta_finalizer_count(const Value *object);
// Adds or removes a finalizer; returns whether the list changed.
bool meta_set_finalizer(Arena *arena, Value *object, const char *finalizer, bool wanted);

// deletionGracePeriodSeconds; false: absent.
bool meta_grace(const Value *object, int64_t *ret_grace_s);

// Carries over what an update must not change: copied from `old` where the API server does so silently, refused where
// it reports an error.
ErrCode meta_carry(const Request *request, Value *next, const Value *old);
