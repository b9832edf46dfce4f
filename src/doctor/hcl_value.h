// The values of HCL's expressions.
//
// A value that cannot be told from the text is VALUE_NULL. Of a map whose members are not all known, the member with
// the empty key is VALUE_NULL: there may be more.
#pragma once

#include "doctor/hcl.h"

#include "text/value.h"

// What names stand for: defaults of variables, and locals.
typedef struct {
    Arena *arena;
    const HclBlockVec *blocks; // of all files of one module
    uint32_t steps;            // that evaluations took so far
} HclScope;

// The value of an attribute's expression; NULL attribute: VALUE_NULL. Texts are in the arena or in the text. O(length
// of the expressions that it leads to), at most HCL_STEPS_MAX.
Value hcl_value(HclScope *scope, const HclAttribute *attribute);

// Adds the members of `from` to a map as merge() does: those of `from` win, and what is unknown stays so.
void hcl_merge(Arena *arena, Value *map, const Value *from);
