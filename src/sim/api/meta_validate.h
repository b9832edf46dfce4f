// What is true of the metadata of every kind.
#pragma once

#include "sim/api/meta.h"

// The types of what the server itself reads (BadRequest), and Kubernetes' rules for names, labels, annotations,
// finalizers and owner references (Invalid).
ErrCode meta_check_types(const Request *request, const Value *object);
ErrCode meta_validate(const Request *request, const Value *object, NameRule rule);
