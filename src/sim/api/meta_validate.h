// Validation of metadata, for every kind.
#pragma once

#include "sim/api/meta.h"

// Check the types of the members that the server reads (BadRequest), and Kubernetes' rules for names, labels,
// annotations, finalizers and owner references (Invalid).
ErrCode meta_check_types(const Request *request, const Value *object);
ErrCode meta_validate(const Request *request, const Value *object, NameRule rule);
