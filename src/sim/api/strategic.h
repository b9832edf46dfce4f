// Strategic merge patches of built-in kinds: lists are merged by the key that Kubernetes' types define for them.
//
// Directives: $patch (replace, delete, merge), $retainKeys, $deleteFromPrimitiveList/…, $setElementOrder/…. Behaviour:
// k8s.io/apimachinery v0.36, pkg/util/strategicpatch. Private to src/sim/api.
#pragma once

#include "sim/api/meta.h"

// Merges `patch` into `target`. O(size of both × elements of merged lists).
// ERR_INVALID (BadRequest): an element lacks the key of its list, or a directive is malformed.
ErrCode strategic_merge_patch(const Request *request, Value *target, const Value *patch);
