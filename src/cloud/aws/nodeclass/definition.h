// The definition of EC2NodeClass (kube/crds) applied to an object: defaults and validation, as an API server does both.
//
// The definition is read as data, so what it says is what is done: types, required members, words, patterns, bounds,
// and its CEL rules (class_rules.h). As in an API server the rules are asked only when the structure is right, unknown
// members are ignored, and null counts as absent. Behaviour: reference aws.md 1.1.
#pragma once

#include "text/value.h"

// The definition's schema of the whole object, in `arena`; for the functions below. O(size of the definition).
const Value *class_definition(Arena *arena);

// Sets the members that are absent and have a default, in the object, which belongs to the caller. O(size of the
// schema).
void class_definition_default(Arena *arena, const Value *schema, Value *object);

// Everything that is wrong with the object, in the order of the definition, as an API server says it:
// "spec.role: Invalid value: \"string\": role cannot be empty". Empty: it is valid. O(size of the object × length of
// the rules).
SliceVec class_definition_check(Arena *arena, const Value *schema, const Value *object);
