// metadata.managedFields: who owns which fields, for server-side apply. Private to src/sim/api.
//
// FieldPath sets are kept and computed in the form in which objects carry them, FieldsV1: {"f:spec": {"f:replicas":
// {}}, "k:{\"name\":\"c\"}": …, "v:\"x\"": {}, ".": {}}. Behaviour: sigs.k8s.io/structured-merge-diff v6 and
// k8s.io/apimachinery's managedfields. Which lists are maps or sets says api/apply/list_schema.h.
#pragma once

#include "sim/api/meta.h"

// Notes the creator, when the server keeps managed fields.
void managed_note_creation(const Request *request, Value *object);

// Notes what an update or patch changed: it takes over the ownership of what it set. Nothing is noted for objects
// without managedFields.
void managed_note_update(const Request *request, KubePart part, const Value *old, Value *next);

// Server-side apply: merges `config` into the live object (`old`, NULL: it does not exist) and settles ownership.
// ERR_CONFLICT: fields that others own differ, and `force` is not set.
ErrCode managed_apply(const Request *request, KubePart part, const Value *old, const Value *config, bool force,
                      Value *ret_next);
