// Whether an EC2NodeClass can be launched with now. Reference aws.md 3.1; lifecycle.md 2.3.
#pragma once

#include "cloud/cloud.h"

// `class` NULL: there is none of that name. O(conditions + tags). ERR_CAPACITY: it is missing or being deleted, which
// ends the claim. Otherwise ERR_INVALID: with class_not_ready, it is not ready, what its condition Ready says is of
// another generation, or its tags are refused; with reason NodeClassReadinessUnknown, nobody knows yet.
ErrCode class_gate(Arena *arena, const Symbols *symbols, const EC2NodeClass *class, CloudError *error);
